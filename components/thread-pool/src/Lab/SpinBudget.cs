using System;
using System.Diagnostics;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// For how long the searcher looks for work before it sleeps, learned from what it met.
    /// </summary>
    /// <remarks>
    /// <code>
    ///   slept, and not for long   the work would have come while searching       doubled, from the smallest
    ///   searched, and it came     it goes on like that                           doubled
    ///   searched in vain          it does not                                    halved, below the smallest: zero
    ///   slept for long            searching would not have helped                as it is
    /// </code>
    /// <para>So a pool that gets a task now and then never spins, and needs no trial spins to find out when that
    /// changes: the length of a sleep tells. The largest budget is about what a sleep and a wake-up cost, so that a
    /// wrong guess costs twice the right one at most (Karlin, Li, Manasse and Owicki, "Empirical Studies of Competitive
    /// Spinning", SOSP 1991). One processor never spins: who has the work could not run.</para>
    /// <para>One worker's alone. Times in ticks of Stopwatch.</para>
    /// </remarks>
    internal sealed class SpinBudget
    {
        internal static readonly long Smallest = FromMicroseconds(2);
        internal static readonly long Largest = Environment.ProcessorCount > 1 ? FromMicroseconds(20) : 0;

        /// <summary>The largest budget and the time to be woken, which a sleep includes.</summary>
        internal static readonly long ShortSleep = FromMicroseconds(100);

        private readonly long _largest;

        /// <param name="largest">Zero never spins: then what a worker does depends on no clock, which tests of
        /// schedules need.</param>
        internal SpinBudget(long largest) => _largest = largest;

        internal long Ticks { get; private set; }

        internal void PaidOff() => Ticks = Math.Min(_largest, 2 * Ticks);

        internal void Failed() => Ticks = Ticks > Smallest ? Ticks / 2 : 0;

        internal void Slept(long ticks)
        {
            if (ticks < ShortSleep)
            {
                Ticks = Math.Min(_largest, Math.Max(Smallest, 2 * Ticks));
            }
        }

        private static long FromMicroseconds(long microseconds) => microseconds * Stopwatch.Frequency / 1_000_000;
    }
}
