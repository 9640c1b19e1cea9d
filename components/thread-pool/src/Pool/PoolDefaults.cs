using System;

namespace Perflab.ThreadPools
{
    /// <summary>What all pools have in common where nothing else is asked for.</summary>
    public static class PoolDefaults
    {
        /// <summary>How long <c>Dispose</c> waits for tasks to end.</summary>
        public static readonly TimeSpan DisposeTimeout = TimeSpan.FromSeconds(10);
    }
}
