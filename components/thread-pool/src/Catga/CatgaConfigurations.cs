using System;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>The report's two configurations, with what a run asks for in their place.</summary>
    public static class CatgaConfigurations
    {
        private static readonly TimeSpan s_scalingInterval = TimeSpan.FromSeconds(1);

        /// <summary>As the report measured it: a thread per processor, up to two, by load.</summary>
        public static CatgaOptions Before(PoolSettings settings) =>
            Configured(settings, Environment.ProcessorCount, scaling: true);

        /// <summary>As the report fixed it: two threads per processor, up to four, and no scaling.</summary>
        public static CatgaOptions After(PoolSettings settings) =>
            Configured(settings, 2 * Environment.ProcessorCount, scaling: false);

        private static CatgaOptions Configured(PoolSettings settings, int threads, bool scaling) => new CatgaOptions
        {
            MinThreads = settings.Threads ?? threads,
            MaxThreads = 2 * (settings.Threads ?? threads),
            EnableDynamicScaling = settings.Scaling ?? scaling,
            ScalingCheckInterval = settings.ScalingInterval ?? s_scalingInterval,
            IdleSleepMs = settings.IdleSleepMs,
            Observability = settings.Observability,
        };
    }
}
