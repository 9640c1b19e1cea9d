using System;
using System.Linq;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <remarks>
    /// Threads come and go. After the start only the gate has threads added or asks workers to leave, see
    /// LabPool.Gate.cs. A worker leaves between two tasks; what is left in its deque is stolen.
    /// <para><b>Who looks for work looks at all places, and misses none that has some.</b> A place is listed before its
    /// thread starts, so before anything is pushed there: whoever is ordered behind the push by the fences of LabPool's
    /// protocol reads this list or a later one. It is taken off the list only without a thread and with an empty deque,
    /// and only its own thread could push. An older list, which somebody may still hold, has more places and not
    /// fewer.</para>
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

        /// <summary>Where there is somebody who may queue tasks, or tasks are left. Replaced as a whole, under
        /// _sizing.</summary>
        private Worker[] _places = Array.Empty<Worker>();

        /// <inheritdoc/>
        public int ThreadCount => Volatile.Read(ref _threadCount);

        internal int PlaceCount => Volatile.Read(ref _places).Length;

        private void AddThreads(int count)
        {
            lock (_sizing)
            {
                for (int number = 0; count > 0 && number < _workers.Length; number++)
                {
                    if (number == _workerCount)
                    {
                        _workers[number] = new Worker(this, number, _options);
                        Volatile.Write(ref _workerCount, number + 1); // sums of others see the worker with the number
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
            worker.HasLeft = false;
            if (Array.IndexOf(_places, worker) < 0)
            {
                Volatile.Write(ref _places, _places.Append(worker).ToArray());
            }

            _threadCount++; // before it runs: whoever reads the counts without the lock misses no thread with a task
            _aliveCount++;
            try
            {
                worker.Thread = StartBackground(() => Live(worker), $"LabPool worker {worker.Number}");
            }
            catch
            {
                _threadCount--;
                _aliveCount--;
                ForgetEmptyPlaces();
                throw;
            }
        }

        private void ForgetEmptyPlaces()
        {
            lock (_sizing)
            {
                if (_places.Any(IsOver))
                {
                    Volatile.Write(ref _places, _places.Where(place => !IsOver(place)).ToArray());
                }
            }

            static bool IsOver(Worker place) => place.Thread == null && place.Deque.IsEmpty;
        }

        private static Thread StartBackground(ThreadStart body, string name)
        {
            var thread = new Thread(body) { IsBackground = true, Name = name };
            Points.Reach(Point.ThreadStarts);
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
            PerThread.Current.Worker = worker;
            worker.Clean = ExecutionContext.Capture()!; // nobody's: threads are started without their starter's
            while (!worker.HasLeft)
            {
                ExecutionContext.Run(worker.Clean, s_work, worker);
            }

            lock (_sizing)
            {
                worker.Thread = null;
                _aliveCount--;
                ForgetEmptyPlaces();
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

        /// <summary>A thread that the system does not start now may start the next time; the pool goes on with those
        /// that it has.</summary>
        private void TryResize(int wanted)
        {
            lock (_sizing)
            {
                _surplus = Math.Max(0, _threadCount - wanted);
                try
                {
                    AddThreads(wanted - _threadCount);
                }
                catch (Exception thrown) when (thrown is OutOfMemoryException || thrown is ThreadStartException)
                {
                    // as above
                }
            }
        }
    }
}
