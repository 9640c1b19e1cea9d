using System;
using System.Diagnostics;
using System.Threading;

namespace Perflab.ThreadPools
{
    /// <summary>How long something may take in all that waits several times.</summary>
    internal readonly struct TimeLimit
    {
        private const long None = long.MaxValue;

        /// <summary>The longest that all ways to wait can be asked for; who waits in a loop asks again.</summary>
        private const double LongestSeconds = 1_000_000;

        /// <summary>In ticks of Stopwatch.</summary>
        private readonly long _end;

        /// <param name="timeout">from now on; <see cref="Timeout.InfiniteTimeSpan"/>, or more than the clock can count,
        /// for no limit</param>
        internal TimeLimit(TimeSpan timeout)
        {
            double end = Stopwatch.GetTimestamp() + (timeout.TotalSeconds * Stopwatch.Frequency);
            _end = timeout == Timeout.InfiniteTimeSpan || end >= None ? None : (long)end;
        }

        /// <summary>Not below zero; <see cref="Timeout.InfiniteTimeSpan"/> if there is no limit.</summary>
        internal TimeSpan Left
        {
            get
            {
                if (_end == None)
                {
                    return Timeout.InfiniteTimeSpan;
                }

                double seconds = (double)(_end - Stopwatch.GetTimestamp()) / Stopwatch.Frequency;
                return seconds <= 0 ? TimeSpan.Zero : TimeSpan.FromSeconds(Math.Min(seconds, LongestSeconds));
            }
        }
    }
}
