using System;
using System.Diagnostics.Tracing;
using System.Threading;

namespace Perflab.Bench
{
    /// <summary>
    /// What the runtime tells about itself: how long threads waited for monitors, what its pool did about its number of
    /// threads, and how long collections stopped the program.
    /// </summary>
    /// <remarks>
    /// The runtime hands its events to listeners on a thread of its own, and late: what a region's last moments held is
    /// counted in the next one. Over a run that evens out.
    /// </remarks>
    internal sealed class RuntimeEvents : EventListener
    {
        private const string Source = "Microsoft-Windows-DotNETRuntime";

        // Keywords of the runtime's manifest (clretwall.man).
        private const EventKeywords Collections = (EventKeywords)0x1;
        private const EventKeywords Contention = (EventKeywords)0x4000;
        private const EventKeywords Threading = (EventKeywords)0x10000;
        private const long NsPerTick = 100;

        private long _contentionNs;
        private long _pauseNs;
        private long _adjustments;
        private long _threadsStarted;
        private DateTime _pauseBegan;

        /// <summary>How long threads have waited for monitors, all together, in nanoseconds.</summary>
        public long ContentionNs => Volatile.Read(ref _contentionNs);

        /// <summary>How long the program stood still for collections, in nanoseconds.</summary>
        public long PauseNs => Volatile.Read(ref _pauseNs);

        /// <summary>How often .NET's pool has changed its mind about how many threads it should have.</summary>
        public long PoolAdjustments => Volatile.Read(ref _adjustments);

        /// <summary>How many threads .NET's pool has started.</summary>
        public long PoolThreadsStarted => Volatile.Read(ref _threadsStarted);

        protected override void OnEventSourceCreated(EventSource source)
        {
            if (source.Name == Source)
            {
                EnableEvents(source, EventLevel.Informational, Collections | Contention | Threading);
            }
        }

        // On one thread, the runtime's dispatcher: the fields have one writer.
        protected override void OnEventWritten(EventWrittenEventArgs written)
        {
            string name = written.EventName ?? "";
            if (name.StartsWith("ContentionStop", StringComparison.Ordinal))
            {
                // Since its version 1 the event says how long the wait was.
                int duration = written.PayloadNames?.IndexOf("DurationNs") ?? -1;
                _contentionNs += duration < 0 ? 0 : (long)Convert.ToDouble(written.Payload![duration]);
            }
            else if (name.StartsWith("GCSuspendEEBegin", StringComparison.Ordinal))
            {
                _pauseBegan = written.TimeStamp;
            }
            else if (name.StartsWith("GCRestartEEEnd", StringComparison.Ordinal) && _pauseBegan != default)
            {
                _pauseNs += (written.TimeStamp - _pauseBegan).Ticks * NsPerTick;
                _pauseBegan = default;
            }
            else if (name == "ThreadPoolWorkerThreadAdjustmentAdjustment")
            {
                _adjustments++;
            }
            else if (name == "ThreadPoolWorkerThreadStart")
            {
                _threadsStarted++;
            }
        }
    }
}
