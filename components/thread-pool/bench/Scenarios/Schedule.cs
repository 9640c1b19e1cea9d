namespace Perflab.ThreadPools.Measured
{
    /// <summary>When tasks are due at a constant rate.</summary>
    /// <remarks>
    /// Each time is computed from the task's number, not from the time before, so that rounding does not add up: the
    /// millionth is as exact as the first, to the nanosecond.
    /// </remarks>
    internal readonly struct Schedule
    {
        private const long NsPerSecond = 1_000_000_000;

        private readonly long _perSecond;

        public Schedule(long perSecond) => _perSecond = perSecond;

        /// <summary>When a task is due, in nanoseconds after the start, rounded down.</summary>
        public long DueNs(long number) =>
            // Whole seconds and the rest by themselves: the product of number and nanoseconds would overflow.
            (number / _perSecond * NsPerSecond) + (number % _perSecond * NsPerSecond / _perSecond);
    }
}
