using System;
using System.Diagnostics;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <remarks>What a worker does: execute, search, sleep. The letters are those of the protocol in LabPool's
    /// comment.</remarks>
    public sealed partial class LabPool
    {
        private const int SpinsPerLook = 8;
        private const int YieldsBeforeSleep = 2;

        private void Work(Worker worker)
        {
            PerThread thread = PerThread.Current;
            thread.Worker = worker;
            while (true)
            {
                WorkItem? item = IsSurplus() ? null : Next(worker) ?? Await(worker);
                if (item == null)
                {
                    return;
                }

                Execute(worker, thread, item);
            }
        }

        private void Execute(Worker worker, PerThread thread, WorkItem item)
        {
            worker.CountExecuted();
            if (_cancelling)
            {
                item.Cancel(thread);
                return;
            }

            try
            {
                if (PoolEvents.Observed)
                {
                    PoolEvents.Log.Execute(item, thread);
                }
                else
                {
                    item.Execute(thread);
                }
            }
            catch (Exception thrown)
            {
                Report(thrown);
            }
        }

        private void Report(Exception thrown)
        {
            try
            {
                WorkFailed?.Invoke(thrown);
            }
            catch (Exception handlers)
            {
                // A handler that throws must not cost the pool a thread. There is nobody left to tell but who watches
                // the process.
                PoolEvents.Log.HandlerFailed(handlers.ToString());
            }
        }

        /// <summary>Comes back with a task, or with null if the worker has to leave.</summary>
        private WorkItem? Await(Worker worker)
        {
            bool searching = _sleepers.TryStartSearch();
            while (true)
            {
                if (searching)
                {
                    WorkItem? found = Search(worker);
                    if (found != null)
                    {
                        EndSearch();
                        return found;
                    }
                }

                Points.Reach(Point.FoundNothing);
                _sleepers.Enter(worker.Number, searching); // W2
                Points.Reach(Point.OnTheStack);
                TellCloser();
                if (!Points.IsLeftOut(Point.OnTheStack) && HasWork())
                {
                    Announce(); // W3
                }

                Points.Reach(Point.AboutToSleep);
                worker.Sleep(); // W4
                if (MustLeave(worker))
                {
                    return null;
                }

                searching = true;
                WorkItem? item = Next(worker);
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
        private WorkItem? Search(Worker worker)
        {
            for (int i = 0; i < YieldsBeforeSleep; i++)
            {
                Thread.Yield();
                if (HasWork() && Next(worker) is WorkItem item)
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
                if (HasWork() && Next(worker) is WorkItem item)
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
            Points.Reach(Point.SearchEnded);
            if (!Points.IsLeftOut(Point.SearchEnded) && HasWork())
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
