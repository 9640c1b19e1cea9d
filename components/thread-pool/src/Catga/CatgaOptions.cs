using System;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>
    /// The options of upstream's pool that do something, with upstream's defaults, and two options of the lab: how long
    /// an idle worker sleeps, and whether the hooks of every task are there.
    /// </summary>
    /// <remarks>
    /// Upstream also has an idle timeout of 60 s that nothing reads, and an option for threads of the process's pool in
    /// place of dedicated ones that no configuration of the report uses.
    /// </remarks>
    public sealed class CatgaOptions
    {
        public int MinThreads { get; set; } = Environment.ProcessorCount;

        public int MaxThreads { get; set; } = 4 * Environment.ProcessorCount;

        public bool EnableWorkStealing { get; set; } = true;

        public bool EnableDynamicScaling { get; set; } = true;

        public TimeSpan ScalingCheckInterval { get; set; } = TimeSpan.FromSeconds(1);

        /// <summary>
        /// Tasks that wait, per thread, above which up to <see cref="MaxThreadsPerScaleUp"/> threads are added.
        /// </summary>
        public int AggressiveScaleUpThreshold { get; set; } = 20;

        /// <summary>Tasks that wait, per thread, above which one thread is added, or two if that goes on.</summary>
        public int NormalScaleUpThreshold { get; set; } = 10;

        public int MaxThreadsPerScaleUp { get; set; } = 4;

        /// <summary>Share of idle threads, from 0 to 1, above which one is removed if that goes on.</summary>
        public double ScaleDownThreshold { get; set; } = 0.7;

        public TimeSpan ScaleDownCooldown { get; set; } = TimeSpan.FromSeconds(30);

        /// <summary>
        /// In milliseconds. Upstream has 1, which on Windows lasts until the next tick of the timer, up to 15.6.
        /// </summary>
        public double IdleSleepMs { get; set; } = 1;

        public Observability Observability { get; set; } = Observability.On;
    }
}
