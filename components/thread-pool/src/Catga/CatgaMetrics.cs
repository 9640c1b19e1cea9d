namespace Perflab.ThreadPools.Catga
{
    /// <summary>What the pool has done so far, more or less.</summary>
    /// <remarks>
    /// This is racy, and not benign: <c>++</c> reads, adds and writes, so that workers overwrite each other's counts.
    /// Upstream has it this way, and <c>CatgaMetricsTest</c> shows what it costs.
    /// </remarks>
    internal sealed class CatgaMetrics
    {
        private long _completed;
        private long _ticks;

        public long CompletedTasks => _completed;

        public long TotalTicks => _ticks;

        public void Completed(long ticks)
        {
            _completed++;
            _ticks += ticks;
        }
    }
}
