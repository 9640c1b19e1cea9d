using System;
using System.Diagnostics;
using System.Threading;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>
    /// What upstream does around each task to be observable: an event when it is queued, started and completed, an
    /// activity, a stopwatch on the heap, two interlocked operations, and metrics that all workers share.
    /// </summary>
    internal sealed class CatgaTelemetry
    {
        private readonly bool _isOn;
        private int _active;

        public CatgaTelemetry(Observability observability) => _isOn = observability == Observability.On;

        public CatgaMetrics Metrics { get; } = new CatgaMetrics();

        /// <summary>How many tasks are being executed.</summary>
        public int Active => Volatile.Read(ref _active);

        public void Queued(CatgaWorkItem item)
        {
            if (_isOn && CatgaEvents.Log.IsEnabled())
            {
                CatgaEvents.Log.TaskQueued((int)item.Priority);
            }
        }

        public void Execute(CatgaWorkItem item)
        {
            if (!_isOn)
            {
                item.Execute();
                return;
            }

            Interlocked.Increment(ref _active);
            if (CatgaEvents.Log.IsEnabled())
            {
                CatgaEvents.Log.TaskStarted((int)item.Priority);
            }

            Stopwatch clock;
            using (IDisposable? activity = CatgaActivities.Start(item.Priority))
            {
                clock = Stopwatch.StartNew();
                item.Execute();
                clock.Stop();
            }

            Metrics.Completed(clock.ElapsedTicks);
            if (CatgaEvents.Log.IsEnabled())
            {
                CatgaEvents.Log.TaskCompleted((int)item.Priority, clock.Elapsed.TotalMilliseconds);
            }

            Interlocked.Decrement(ref _active);
        }
    }
}
