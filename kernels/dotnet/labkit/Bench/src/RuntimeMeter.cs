using System;
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
}
