using System;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>How a <see cref="LabPool"/> is set up. Read once, by its constructor.</summary>
    public sealed class LabPoolOptions
    {
        /// <summary>Threads that are there from the start, and stay. From 1 on.</summary>
        public int MinThreads { get; set; } = Environment.ProcessorCount;

        /// <summary>Threads that there may be while more of them get more done; MinThreads for a pool of one size. At
        /// most 4094.</summary>
        public int MaxThreads { get; set; } = Math.Max(64, 4 * Environment.ProcessorCount);

        /// <summary>How long the pool measures before it decides about its size, while all its threads are busy and
        /// tasks wait.</summary>
        public TimeSpan ScalingInterval { get; set; } = TimeSpan.FromMilliseconds(10);

        /// <summary>How long threads above MinThreads are kept without work.</summary>
        public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(20);

        /// <summary>
        /// For how long at most a worker without work looks for more before it sleeps. This is the line between quick
        /// answers and an idle pool that costs nothing: what comes within this time meets a thread that is awake, and
        /// each pause costs up to so much processor time. One worker looks at a time, and none where pauses are longer.
        /// Zero never looks.
        /// </summary>
        public TimeSpan SpinLimit { get; set; } = SpinBudget.DefaultLimit;

        /// <summary>The first index of all queues; tests begin shortly before wraparound. Even.</summary>
        internal long FirstTicket { get; set; }

        /// <summary>The length that queues begin with, a power of two; tests make it small, to meet growth
        /// often.</summary>
        internal int FirstLength { get; set; } = InjectionQueue.FirstLength;

        internal void Validate()
        {
            Require(MinThreads >= 1, nameof(MinThreads), "at least 1");
            Require(MaxThreads >= MinThreads, nameof(MaxThreads), "not below MinThreads");
            Require(MaxThreads <= Sleepers.MaxWorkers, nameof(MaxThreads), $"at most {Sleepers.MaxWorkers}");
            Require(ScalingInterval > TimeSpan.Zero, nameof(ScalingInterval), "above zero");
            Require(SpinLimit >= TimeSpan.Zero, nameof(SpinLimit), "zero or above");
            Require(IdleTimeout > TimeSpan.Zero, nameof(IdleTimeout), "above zero");
        }

        private static void Require(bool holds, string option, string range)
        {
            if (!holds)
            {
                throw new ArgumentOutOfRangeException(option, $"{option} has to be {range}.");
            }
        }
    }
}
