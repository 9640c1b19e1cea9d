using System;
using System.Diagnostics;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// For how long the searcher looks for work before it sleeps, learned from what it met.
    /// </summary>
    /// <remarks>
    /// <code>
    ///   idle, then woken, and not for long   the work would have come while searching   doubled, from the smallest
    ///   searched, and it came                it goes on like that                        doubled
    ///   searched in vain                     it does not                                 halved, below the smallest: zero
    ///   idle for long                        searching would not have helped             as it is
    /// </code>
    /// <para>So a pool that gets a task now and then never spins, and needs no trial spins to find out when that
    /// changes: how long it was idle tells. A wrong guess costs at most the limit, and is corrected: a competitive
    /// limit would be what a sleep and a wake-up cost the processors (Karlin, Li, Manasse and Owicki, "Empirical Studies
    /// of Competitive Spinning", SOSP 1991), some 20 us; this one is larger, because it is the caller who waits for the
    /// wake-up. One processor never spins: who has the work could not run.</para>
    /// <para>One worker's alone. Times in ticks of Stopwatch.</para>
    /// </remarks>
    internal sealed class SpinBudget
    {
        /// <summary>See LabPoolOptions.SpinLimit; how it was chosen, the component's README tells.</summary>
        internal static readonly TimeSpan DefaultLimit = TimeSpan.FromTicks(500 * TicksPerUs);

        internal static readonly long Smallest = InTicks(TimeSpan.FromTicks(2 * TicksPerUs));

        private const long TicksPerUs = TimeSpan.TicksPerMillisecond / 1000;

        /// <summary>What a wake-up takes, which the idle time of who was woken includes.</summary>
        private static readonly long s_wakeUp = InTicks(TimeSpan.FromTicks(80 * TicksPerUs));

        private readonly long _limit;

        /// <param name="limit">Zero never spins: then what a worker does depends on no clock, which tests of
        /// schedules need.</param>
        internal SpinBudget(TimeSpan limit) => _limit = Environment.ProcessorCount > 1 ? InTicks(limit) : 0;

        internal long Ticks { get; private set; }

        /// <summary>Shorter than this, and the work would have come within the limit.</summary>
        internal long ShortPause => _limit + s_wakeUp;

        internal void PaidOff() => Ticks = Math.Min(_limit, 2 * Ticks);

        internal void Failed() => Ticks = Ticks > Smallest ? Ticks / 2 : 0;

        internal void Idled(long ticks)
        {
            if (ticks < ShortPause)
            {
                Ticks = Math.Min(_limit, Math.Max(Smallest, 2 * Ticks));
            }
        }

        private static long InTicks(TimeSpan time) => (long)(time.TotalSeconds * Stopwatch.Frequency);
    }
}
