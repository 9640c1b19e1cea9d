using System;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Lab
{
    /// <remarks>
    /// <b>The end.</b>
    /// <code>
    ///   1. Cancel: _givenUp is cancelled                            workers give up what they find from now on
    ///   2. _closing is set; the queues are closed                   no task is accepted any more
    ///      Cancel: the closer gives up what waits, too              all workers may be held by tasks
    ///      _shutdown is taken; the gate ends                        one closer waits for the end
    ///   3. all workers sleep, and all queues are empty: quiet       or the time is up: what waits is given up
    ///   4. _leaving is set; all sleepers are told to leave          each worker that falls asleep later leaves, too
    ///   5. threads are waited for as long as there is time
    /// </code>
    /// <para><b>No accepted task is forgotten.</b> Closing a queue is one step in the order of its claims: a task has
    /// its ticket before, or its caller gets an exception. A ticket whose slot is not yet filled keeps its queue from
    /// being drained, hence the pool from being quiet; and who fills it announces it (P1 to P4), whereupon a worker
    /// wakes.</para>
    /// <para><b>Quiet is stable.</b> The closer reads the word (all asleep), sees everything empty, and reads the word
    /// again: unchanged, so nobody was awake in between. Nobody but a worker could have queued anything, and who
    /// stalled with a ticket is covered above.</para>
    /// <para><b>A later call</b> does 1 and 2 before it waits for the first: so it can turn draining into cancelling,
    /// whatever its timeout. Several may give up at once, each what it got hold of.</para>
    /// <para><b>The closer misses nothing.</b> A worker goes to sleep (W2, a fence) and then looks at _closing; the
    /// closer sets _closing, fence, and then looks who sleeps. So the last worker sees that it has to tell, or the
    /// closer sees that it sleeps.</para>
    /// </remarks>
    public sealed partial class LabPool
    {
        private static readonly ContextCallback s_executeInHand = state =>
        {
            var worker = (Worker)state!;
            worker.Pool.Execute(worker, PerThread.Current, worker.InHand!);
        };

        private readonly AutoResetEvent _somebodySleeps = new AutoResetEvent(false);
        private readonly object _shutdown = new object();
        private volatile bool _closing;
        private volatile bool _leaving;

        /// <inheritdoc/>
        public void Dispose() => Shutdown(ShutdownMode.Drain, PoolDefaults.DisposeTimeout);

        /// <remarks>
        /// After the timeout the tasks that still wait are given up, as by Cancel: nobody waits for their results in
        /// vain. Called by a task of this pool (or what runs after an await on its thread), it does not wait for that
        /// task and its thread.
        /// </remarks>
        /// <inheritdoc/>
        public bool Shutdown(ShutdownMode mode, TimeSpan timeout)
        {
            var limit = new TimeLimit(timeout);
            Worker? self = PerThread.Current.Worker;
            self = self?.Pool == this ? self : null;
            if (mode == ShutdownMode.Cancel)
            {
                _givenUp.Cancel(); // before the first refusal: who has seen one may rely on nothing else being begun
            }

            _closing = true;
            _high.Close();
            _normal.Close();
            _low.Close();
            Points.Reach(Point.Closed);
            if (mode == ShutdownMode.Cancel)
            {
                GiveUp(self);
                _somebodySleeps.Set(); // who drains may wait for just what was given up
            }

            if (!Monitor.TryEnter(_shutdown, limit.Left))
            {
                return false;
            }

            try
            {
                _gateCalled.Set();
                _gate?.Join(limit.Left);
                if (!AwaitQuiet(self, limit))
                {
                    GiveUp(self);
                }

                return Leave(self, limit);
            }
            finally
            {
                Monitor.Exit(_shutdown);
            }
        }

        private bool IsGivingUp => _givenUp.IsCancellationRequested;

        private static ObjectDisposedException NewDisposed() => new ObjectDisposedException(nameof(LabPool));

        private void ThrowIfClosing()
        {
            if (_closing)
            {
                throw NewDisposed();
            }
        }

        private void Cancel(object item, PerThread caller)
        {
            if (item is WorkItem work)
            {
                work.Cancel(caller);
            }
            else
            {
                _scheduler.ExecuteElsewhere((Task)item); // its token is cancelled: it ends without being run
            }
        }

        /// <summary>The closer helps, because all workers may be held by tasks that do not end.</summary>
        private void GiveUp(Worker? self)
        {
            _givenUp.Cancel();
            PerThread caller = PerThread.Current;
            Worker thief = self ?? new Worker(this, int.MaxValue, _options);
            for (object? item; (item = Next(thief)) != null;)
            {
                Cancel(item, caller);
            }
        }

        private bool AwaitQuiet(Worker? self, TimeLimit limit)
        {
            if (self != null)
            {
                // It may be the only worker, and its deque full. Its own task goes on afterwards, in its own context.
                while ((self.InHand = Next(self)) != null)
                {
                    ExecutionContext.Run(self.Clean, s_executeInHand, self);
                }
            }

            Interlocked.MemoryBarrier();
            while (!IsQuiet(self == null ? 0 : 1))
            {
                if (!_somebodySleeps.WaitOne(limit.Left))
                {
                    return false;
                }
            }

            return true;
        }

        private bool IsQuiet(int awake)
        {
            long word = _sleepers.Now;
            return Sleepers.CountIn(word) == Volatile.Read(ref _aliveCount) - awake
                && !HasWork()
                && _high.IsDrained
                && _normal.IsDrained
                && _low.IsDrained
                && _sleepers.Now == word;
        }

        /// <summary>By a worker that is on the stack, or gone.</summary>
        private void TellCloser()
        {
            if (_closing)
            {
                _somebodySleeps.Set();
                if (_leaving)
                {
                    WakeToLeave();
                }
            }
        }

        private bool Leave(Worker? self, TimeLimit limit)
        {
            _leaving = true;
            Interlocked.MemoryBarrier(); // before the look at who sleeps, as in TellCloser
            WakeToLeave();
            while (Volatile.Read(ref _aliveCount) > (self == null ? 0 : 1))
            {
                if (!_somebodySleeps.WaitOne(limit.Left))
                {
                    return false;
                }
            }

            return true;
        }

        private void WakeToLeave()
        {
            lock (_sizing)
            {
                for (int worker; (worker = _sleepers.PopToLeave()) >= 0; _threadCount--)
                {
                    SendAway(_workers[worker]);
                }
            }
        }
    }
}
