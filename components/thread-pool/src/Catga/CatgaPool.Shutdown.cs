using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;

namespace Perflab.ThreadPools.Catga
{
    /// <content>The end of the pool.</content>
    public sealed partial class CatgaPool
    {
        private readonly object _shutdownLock = new object();
        private readonly ManualResetEventSlim _shutdownBegan = new ManualResetEventSlim();
        private readonly ConcurrentBag<CatgaWorker> _retired = new ConcurrentBag<CatgaWorker>();

        // It only ever grows.
        private volatile Stage _stage = Stage.Open;

        // Whether no worker is left to take a task.
        private volatile bool _workersEnded;

        private enum Stage
        {
            Open,
            Draining,
            Cancelled,
        }

        private bool IsShuttingDown => _stage != Stage.Open;

        private bool IsCancelled => _stage == Stage.Cancelled;

        /// <inheritdoc/>
        public void Dispose() => Shutdown(ShutdownMode.Drain, PoolDefaults.DisposeTimeout);

        /// <inheritdoc/>
        public bool Shutdown(ShutdownMode mode, TimeSpan timeout)
        {
            var limit = new TimeLimit(timeout);
            lock (_shutdownLock)
            {
                if (!IsCancelled)
                {
                    _stage = mode == ShutdownMode.Cancel ? Stage.Cancelled : Stage.Draining;
                }
            }

            _shutdownBegan.Set();
            if (IsCancelled)
            {
                Settle();
            }

            // The scaling thread first: once it has ended, no worker is added any more.
            bool ended = JoinBy(_scaler, limit)
                && _workers.Concat(_retired).All(worker => JoinBy(worker.Thread, limit));
            if (ended)
            {
                _workersEnded = true;
                // Pairs with the barrier in SettleIfTooLate.
                Interlocked.MemoryBarrier();
                Settle();
            }

            return ended;
        }

        private static bool JoinBy(Thread? thread, TimeLimit limit) => thread == null || thread.Join(limit.Left);

        /// <summary>
        /// A thread may have found the pool open and queue its task after the last worker looked. Whoever comes second
        /// sees what the other wrote: this thread that the workers have ended, or the one that shuts down the task.
        /// </summary>
        private void SettleIfTooLate()
        {
            // Between the task's way into the queue and the look at the workers; ConcurrentQueue promises no such
            // order.
            Interlocked.MemoryBarrier();
            if (_workersEnded)
            {
                Settle();
            }
        }

        /// <summary>Does with the tasks that wait what a worker would have done, or cancels them.</summary>
        private void Settle()
        {
            foreach (ConcurrentQueue<CatgaWorkItem> queue in _workers.Select(worker => worker.Local).Append(_global))
            {
                while (queue.TryDequeue(out CatgaWorkItem? item))
                {
                    if (IsCancelled)
                    {
                        item.Cancel();
                    }
                    else
                    {
                        _telemetry.Execute(item);
                    }
                }
            }
        }
    }
}
