using System.Diagnostics;

namespace Perflab.Bench
{
    /// <summary>The monotonic clock that scenarios keep.</summary>
    public static class Clock
    {
        private const long NsPerSecond = 1_000_000_000;

        /// <summary>
        /// Nanoseconds since some moment in the past. On Linux a tick of the underlying clock is one.
        /// </summary>
        public static long NowNs =>
            Stopwatch.Frequency == NsPerSecond
                ? Stopwatch.GetTimestamp()
                : (long)(Stopwatch.GetTimestamp() * ((double)NsPerSecond / Stopwatch.Frequency));

        /// <summary>Keeps the calling thread on its processor until a moment.</summary>
        /// <remarks>
        /// A sleep is no use for this: <c>Thread.Sleep</c> counts in milliseconds, and Linux lets a timer be late by
        /// another 50 us (PR_SET_TIMERSLACK in prctl(2)).
        /// </remarks>
        /// <returns>the clock when the moment had come, at or after <paramref name="timeNs"/></returns>
        public static long SpinUntil(long timeNs)
        {
            long nowNs = NowNs;
            while (nowNs < timeNs)
            {
                System.Threading.Thread.SpinWait(1);
                nowNs = NowNs;
            }

            return nowNs;
        }
    }
}
