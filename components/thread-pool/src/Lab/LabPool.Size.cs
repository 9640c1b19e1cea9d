using System;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <remarks>
    /// Threads come and go. After the start only the gate has threads added or asks workers to leave, see
    /// LabPool.Gate.cs. A worker leaves between two tasks; what is left in its deque is stolen.
    /// </remarks>
    public sealed partial class LabPool
    {
        private readonly object _sizing = new object();

        /// <summary>Threads that stay; those that have been told to leave, or have decided to, do not count. Under
        /// _sizing.</summary>
        private int _threadCount;

        /// <summary>Threads that have not ended. Under _sizing.</summary>
        private int _aliveCount;

        /// <summary>How many are to leave, whoever comes first. Under _sizing.</summary>
        private int _surplus;

        /// <inheritdoc/>
        public int ThreadCount => Volatile.Read(ref _threadCount);

        private void AddThreads(int count)
        {
            lock (_sizing)
            {
                for (int number = 0; count > 0 && number < _workers.Length; number++)
                {
                    if (number == _placeCount)
                    {
                        _workers[number] = new Worker(this, number, _options);
                        Volatile.Write(ref _placeCount, number + 1); // sweeps of others see the worker with the number
                    }

                    if (_workers[number].Thread == null)
                    {
                        Start(_workers[number]);
                        count--;
                    }
                }
            }
        }

        private void Start(Worker worker)
        {
            worker.MustLeave = false;
            _threadCount++; // before it runs: whoever reads the counts without the lock misses no thread with a task
            _aliveCount++;
            worker.Thread = StartBackground(() => Live(worker), $"LabPool worker {worker.Number}");
        }

        private static Thread StartBackground(ThreadStart body, string name)
        {
            var thread = new Thread(body) { IsBackground = true, Name = name };
            if (ExecutionContext.IsFlowSuppressed())
            {
                thread.Start();
                return thread;
            }

            // Otherwise the AsyncLocals of who happens to make the pool live in all its tasks.
            using (ExecutionContext.SuppressFlow())
            {
                thread.Start();
            }

            return thread;
        }

        private void Live(Worker worker)
        {
            Work(worker);
            lock (_sizing)
            {
                worker.Thread = null;
                _aliveCount--;
            }

            // Whoever was told to leave did not look for work before; a producer may have counted on it to do so.
            Interlocked.MemoryBarrier();
            if (HasWork())
            {
                Announce();
            }

            TellCloser();
        }

        /// <summary>True for as many workers as there are too many of, each asked before it looks for a task.</summary>
        private bool IsSurplus()
        {
            if (Volatile.Read(ref _surplus) == 0)
            {
                return false;
            }

            lock (_sizing)
            {
                if (_surplus == 0)
                {
                    return false;
                }

                _surplus--;
                _threadCount--;
                return true;
            }
        }

        private void RemoveIdle(int idle)
        {
            lock (_sizing)
            {
                _surplus = 0;
                int worker;
                while (idle-- > 0 && _threadCount > _options.MinThreads && (worker = _sleepers.PopToLeave()) >= 0)
                {
                    _threadCount--;
                    SendAway(_workers[worker]);
                }
            }
        }

        private static void SendAway(Worker worker)
        {
            Volatile.Write(ref worker.MustLeave, true);
            worker.Parker.Unpark();
        }

        private void Resize(int wanted)
        {
            lock (_sizing)
            {
                _surplus = Math.Max(0, _threadCount - wanted);
                AddThreads(wanted - _threadCount);
            }
        }
    }
}
