using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Lab
{
    /// <remarks>What a worker does: execute, search, sleep. The letters are those of the protocol in LabPool's
    /// comment.</remarks>
    public sealed partial class LabPool
    {
        private const int SpinsPerLook = 8;
        private const int YieldsBeforeSleep = 2;

        private static readonly ContextCallback s_work = worker => ((Worker)worker!).Pool.Work((Worker)worker);

        /// <summary>Until the worker leaves, or a task has left a context behind: the caller puts it right, see Live.
        /// </summary>
        private void Work(Worker worker)
        {
            PerThread thread = PerThread.Current;
            do
            {
                object? item = IsSurplus() ? null : Next(worker) ?? Await(worker);
                if (item == null)
                {
                    worker.HasLeft = true;
                    return;
                }

                Execute(worker, thread, item);
            }
            while (ExecutionContext.Capture() == worker.Clean && SynchronizationContext.Current == null);
        }

        private void Execute(Worker worker, PerThread thread, object item)
        {
            worker.CountExecuted();
            if (IsGivingUp)
            {
                Cancel(item, thread);
                return;
            }

            try
            {
                if (item is WorkItem work)
                {
                    work.Execute(thread);
                }
                else
                {
                    _scheduler.Execute(Unsafe.As<Task>(item));
                }
            }
            catch (Exception thrown)
            {
                Report(thrown);
            }
        }

        private void Report(Exception thrown)
        {
            Action<Exception>? handlers = WorkFailed;
            if (handlers != null)
            {
                try
                {
                    handlers(thrown);
                    return;
                }
                catch (Exception handlersOwn)
                {
                    thrown = new AggregateException(thrown, handlersOwn); // it must not cost the pool a thread
                }
            }

            _ = Task.FromException(thrown); // a Task that nobody looks at
        }

        /// <summary>Comes back with a task, or with null if the worker has to leave.</summary>
        private object? Await(Worker worker)
        {
            bool searching = _sleepers.TryStartSearch();
            while (true)
            {
                long idleSince = Stopwatch.GetTimestamp();
                if (searching)
                {
                    object? found = Search(worker);
                    if (found != null)
                    {
                        EndSearch();
                        return found;
                    }
                }

                Points.Reach(Point.FoundNothing);
                _sleepers.Enter(worker.Number, searching); // W2
                bool looks = true;
                Points.Reach(Point.OnTheStack, ref looks);
                TellCloser();
                if (looks && HasWork())
                {
                    Announce(); // W3
                }

                Points.Reach(Point.AboutToSleep);
                worker.Sleep(idleSince); // W4
                if (MustLeave(worker))
                {
                    return null;
                }

                searching = true;
                object? item = Next(worker);
                if (item != null)
                {
                    EndSearch();
                    return item;
                }
            }
        }

        /// <summary>
        /// Once gives way to others, and then looks for as long as looking has paid off of late.
        /// </summary>
        /// <remarks>
        /// Where threads outnumber processors, who queues tasks may be waiting for this very processor: without the
        /// Yield each of its tasks would find this worker asleep again, be a system call to wake it, and be followed by
        /// two context switches.
        /// </remarks>
        private object? Search(Worker worker)
        {
            for (int i = 0; i < YieldsBeforeSleep; i++)
            {
                Thread.Yield();
                if (HasWork() && Next(worker) is object item)
                {
                    return item;
                }
            }

            long budget = worker.Spinning.Ticks;
            if (budget == 0)
            {
                return null;
            }

            long begun = Stopwatch.GetTimestamp();
            do
            {
                Thread.SpinWait(SpinsPerLook);
                if (HasWork() && Next(worker) is object item)
                {
                    worker.Spinning.PaidOff();
                    return item;
                }

                Thread.Yield();
            }
            while (Stopwatch.GetTimestamp() - begun < budget);
            worker.Spinning.Failed();
            return null;
        }

        private void EndSearch()
        {
            _sleepers.EndSearch(); // S1
            bool looks = true;
            Points.Reach(Point.SearchEnded, ref looks);
            if (looks && HasWork())
            {
                Announce(); // S2
            }
        }

        /// <summary>P2 to P4. The caller has put a full fence behind what it made visible, or looked at.</summary>
        private void Announce()
        {
            long word = _sleepers.Now;
            if (Sleepers.IsSearching(word))
            {
                return;
            }

            if (!Sleepers.HasSleeper(word))
            {
                CallGate(); // all threads are busy: are there enough?
                return;
            }

            int worker = _sleepers.PopAsSearcher();
            if (worker >= 0)
            {
                Points.Reach(Point.Popped);
                _workers[worker].Parker.Unpark();
            }
        }

        private static bool MustLeave(Worker worker) => Volatile.Read(ref worker.MustLeave);
    }
}
