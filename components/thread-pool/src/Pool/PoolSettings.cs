using System;

namespace Perflab.ThreadPools
{
    /// <summary>
    /// What is asked of a pool beyond what its variant fixes by itself. A pool ignores what it has no use for.
    /// </summary>
    public sealed class PoolSettings
    {
        /// <summary>How many threads to begin with; null for what the variant does by itself.</summary>
        public int? Threads { get; set; }

        /// <summary>Whether the number of threads follows the load; null for what the variant does by itself.</summary>
        public bool? Scaling { get; set; }

        /// <summary>
        /// How often the load is looked at, if the number of threads follows it; null for what the variant does by
        /// itself.
        /// </summary>
        public TimeSpan? ScalingInterval { get; set; }

        /// <summary>How long a thread of a pool that polls sleeps between looks, in milliseconds.</summary>
        public double IdleSleepMs { get; set; } = 1;

        /// <summary>For how long at most a thread of a pool that spins looks for work before it sleeps; null for what
        /// the variant does by itself.</summary>
        public TimeSpan? SpinLimit { get; set; }

        public Observability Observability { get; set; } = Observability.On;

        /// <summary>Settings with which a pool that polls behaves as on Windows, where the shortest sleep lasts until the
        /// next tick of the timer.</summary>
        public static PoolSettings AsOnWindows() => new PoolSettings { IdleSleepMs = 15.6 };
    }
}
