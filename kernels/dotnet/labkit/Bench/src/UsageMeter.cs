using System;

namespace Perflab.Bench
{
    /// <summary>
    /// What the process takes while a region lasts, put into a sample's counters: <c>allocated_bytes</c>, <c>gc</c>
    /// (collections of any generation), <c>cpu_ns</c>, <c>voluntary_switches</c> and <c>involuntary_switches</c>.
    /// </summary>
    /// <remarks>
    /// Bytes are exact, to which end the runtime stops all threads for a moment. That happens before the region's begin
    /// and after its end, so <see cref="Begin"/> and <see cref="End"/> belong around the clock's readings, not between
    /// them.
    /// </remarks>
    public sealed class UsageMeter
    {
        private long _bytes;
        private int _collections;
        private ProcessUsage _usage;

        /// <summary>Time on a processor so far of all threads but the calling one, in nanoseconds; 0 where the system does
        /// not tell.</summary>
        public static long OtherThreadsCpuNs => ProcessUsage.OtherThreadsCpuNs;

        public void Begin()
        {
            _collections = GC.CollectionCount(0);
            _bytes = GC.GetTotalAllocatedBytes(precise: true);
            _usage = ProcessUsage.Now();
        }

        public void End(Sample sample)
        {
            ProcessUsage usage = ProcessUsage.Now();
            long bytes = GC.GetTotalAllocatedBytes(precise: true);
            sample.Count("allocated_bytes", bytes - _bytes);
            sample.Count("gc", GC.CollectionCount(0) - _collections);
            sample.Count("cpu_ns", usage.CpuNs - _usage.CpuNs);
            sample.Count("voluntary_switches", usage.VoluntarySwitches - _usage.VoluntarySwitches);
            sample.Count("involuntary_switches", usage.InvoluntarySwitches - _usage.InvoluntarySwitches);
        }
    }
}
