using System;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// How many threads there should be, from what was measured with those that there are. Asked only while all threads
    /// are busy and tasks wait.
    /// </summary>
    /// <remarks>
    /// <para>Hill climbing (as in .NET's pool: Hellerstein, Morrison and Eilebrecht, "Applying Control Theory in the
    /// Real World", FeBID 2009), with trials instead of a superposed wave: tasks that block raise throughput in
    /// proportion to threads, which shows in one sample; tasks that compute do not, once the processors are
    /// busy.</para>
    /// <code>
    ///   nothing was begun, processors are idle      half as many more, without a trial
    ///   processors are idle                         trial with half as many more
    ///                                               kept if throughput rose by a third of that or more
    ///   processors are busy, and there are more     trial with a quarter less
    ///   threads than processors                     kept unless throughput fell by a third of that or more
    /// </code>
    /// <para><b>Hysteresis.</b> A trial that was not kept is undone, and the next has to wait for 4 samples, then 8,
    /// and so on up to 256; one that was kept clears the way for another. The two thresholds lie apart: what was kept
    /// upwards has gained a third of its step, and is not given up downwards for less.</para>
    /// <para>Not thread safe; the gate's alone.</para>
    /// </remarks>
    internal sealed class HillClimb
    {
        internal const int ShortestHold = 4;
        internal const int LongestHold = 256;

        /// <summary>Of the processors; above it they count as busy. As in .NET's pool.</summary>
        internal const double Busy = 0.8;

        /// <summary>The part of a step that the throughput has to follow for the step to be worth it.</summary>
        private const double Follows = 1.0 / 3;

        private readonly int _min;
        private readonly int _max;
        private readonly int _processors;
        private int _hold;
        private int _nextHold = ShortestHold;
        private int _before;
        private double _rateBefore;

        internal HillClimb(int min, int max, int processors)
        {
            _min = min;
            _max = max;
            _processors = processors;
        }

        private bool OnTrial => _before != 0;

        /// <summary>How many threads there should be from now on.</summary>
        /// <param name="threads">How many there were while the sample was taken.</param>
        /// <param name="tasksPerSecond">Tasks begun.</param>
        /// <param name="processorsUsed">Processor time of the process per time.</param>
        internal int Next(int threads, double tasksPerSecond, double processorsUsed)
        {
            bool busy = processorsUsed >= Busy * _processors;
            if (tasksPerSecond == 0 && !busy)
            {
                Settle();
                return Up(threads);
            }

            if (OnTrial)
            {
                int before = _before;
                bool kept = IsWorthIt(before, threads, tasksPerSecond);
                Settle();
                if (!kept)
                {
                    _hold = _nextHold;
                    _nextHold = Math.Min(LongestHold, 2 * _nextHold);
                    return before;
                }

                _nextHold = ShortestHold;
            }

            if (_hold > 0)
            {
                _hold--;
                return threads;
            }

            int trial = !busy ? Up(threads) : threads > _processors ? Down(threads) : threads;
            if (trial != threads)
            {
                _before = threads;
                _rateBefore = tasksPerSecond;
            }

            return trial;
        }

        /// <summary>Threads were idle meanwhile, so that the next sample is not comparable with those before.</summary>
        internal void Settle() => _before = 0;

        private bool IsWorthIt(int before, int now, double rate)
        {
            double step = (double)(now - before) / before;
            return rate >= _rateBefore * (1 + (Follows * step));
        }

        private int Up(int threads) => Math.Min(_max, threads + Math.Max(1, threads / 2));

        private int Down(int threads) => Math.Max(_min, threads - Math.Max(1, threads / 4));
    }
}
