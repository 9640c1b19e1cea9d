using System;
using System.Diagnostics.Tracing;
using System.Threading;

namespace Perflab.Bench
{
    /// <summary>
    /// Puts the runtime's counters into samples, where the lab profiles and asks for them by the environment variable
    /// <c>PERFLAB_RUNTIME_EVENTS</c>. Otherwise nothing listens and nothing is counted.
    /// </summary>
    /// <remarks>
    /// A sample's counters then cover all that happened since the one before, gaps between timed regions included.
    /// </remarks>
    internal sealed class RuntimeMeter : IDisposable
    {
        public const string Variable = "PERFLAB_RUNTIME_EVENTS";

        private static readonly string[] s_names =
        {
            "runtime_contentions", "runtime_contention_ns", "runtime_pool_items", "runtime_pool_adjustments",
            "runtime_pool_threads_started", "runtime_gc_pause_ns", "runtime_gen0", "runtime_gen1", "runtime_gen2",
        };

        private readonly RuntimeEvents? _events;
        private long[] _before = new long[s_names.Length];

        public RuntimeMeter()
            : this(Environment.GetEnvironmentVariable(Variable) == "1")
        {
        }

        internal RuntimeMeter(bool isOn) => _events = isOn ? new RuntimeEvents() : null;

        /// <summary>Counts from now on.</summary>
        public void Begin()
        {
            if (_events != null)
            {
                _before = Read(_events);
            }
        }

        /// <summary>Adds what has happened since the last call, or since <see cref="Begin"/>.</summary>
        public void Count(Sample sample)
        {
            if (_events == null)
            {
                return;
            }

            long[] now = Read(_events);
            for (int i = 0; i < s_names.Length; i++)
            {
                sample.Count(s_names[i], now[i] - _before[i]);
            }

            _before = now;
        }

        public void Dispose() => _events?.Dispose();

        private static long[] Read(RuntimeEvents events) => new[]
        {
            Monitor.LockContentionCount, events.ContentionNs, ThreadPool.CompletedWorkItemCount,
            events.PoolAdjustments, events.PoolThreadsStarted, events.PauseNs,
            GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2),
        };
    }

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
