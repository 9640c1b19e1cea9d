using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// How long the pool's threads sleep while the clock runs, if the pool knows: the counter <c>asleep_ns</c>.
    /// </summary>
    internal sealed class Rest
    {
        private readonly IRestClock? _clock;
        private long _beginNs;
        private long _endNs;

        public Rest(IWorkPool? pool) => _clock = pool as IRestClock;

        public void Begin() => _beginNs = _clock?.AsleepNs ?? 0;

        public void End() => _endNs = _clock?.AsleepNs ?? 0;

        public void Count(Sample sample)
        {
            if (_clock != null)
            {
                sample.Count("asleep_ns", _endNs - _beginNs);
            }
        }
    }
}
