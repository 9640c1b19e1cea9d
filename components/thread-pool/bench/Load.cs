using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// What a task does: the report's loads, and one that is calibrated. Its value shows that it was done.
    /// </summary>
    internal readonly struct Load
    {
        private readonly Kind _kind;
        private readonly int _count;

        private Load(Kind kind, int count) => (_kind, _count) = (kind, count);

        private enum Kind
        {
            Spin,
            Squares,
            Sum,
            Nanoseconds,
        }

        /// <summary>The names of the loads, for the parameter <c>work</c>.</summary>
        public static string[] Names { get; } = { "spin", "squares", "sum", "ns" };

        public static Parameter Work(string defaultName) => Parameter.OfChoice("work", defaultName, Names,
            "what a task does: Thread.SpinWait, `sum += j * j`, `sum += j`, or calibrated nanoseconds of arithmetic");

        public static Parameter Amount(int defaultAmount, string name = "amount") => Parameter.OfInt(
            name, defaultAmount, 0, 100_000_000, "how much of it: iterations, or nanoseconds with work=ns");

        /// <summary>A load by its name, as the parameters give it.</summary>
        public static Load Of(string name, int amount)
        {
            Kind kind = name == "ns" ? Kind.Nanoseconds : Enum.Parse<Kind>(name, ignoreCase: true);
            return new Load(kind, kind == Kind.Nanoseconds ? (int)(amount * Calibration.StepsPerNs) : amount);
        }

        /// <summary>Does it.</summary>
        /// <returns>the same value each time</returns>
        public long Execute() => _kind switch
        {
            Kind.Spin => Spin(_count),
            Kind.Squares => Squares(_count),
            Kind.Sum => Sum(_count),
            _ => Steps(_count),
        };

        private static long Spin(int iterations)
        {
            Thread.SpinWait(iterations);
            return iterations;
        }

        // Compiled with all optimisations from the first call on, so that no load changes while it is being measured.
        [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
        private static long Squares(int iterations)
        {
            int sum = 0;
            for (int j = 0; j < iterations; j++)
            {
                sum += j * j;
            }

            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
        private static long Sum(int iterations)
        {
            int sum = 0;
            for (int j = 0; j < iterations; j++)
            {
                sum += j;
            }

            return sum;
        }

        /// <summary>
        /// Steps of a linear congruential generator (Knuth's MMIX): each needs the one before, whatever the processor.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
        private static long Steps(int steps)
        {
            ulong state = 1;
            for (int j = 0; j < steps; j++)
            {
                state = (state * 6364136223846793005) + 1442695040888963407;
            }

            return (long)state;
        }

        /// <summary>How fast this machine is, measured once when it is first asked for.</summary>
        private static class Calibration
        {
            private const int Rounds = 20;
            private const int StepsOfARound = 200_000;

            /// <summary>Of the fastest round: the others were held up.</summary>
            public static readonly double StepsPerNs = Enumerable.Range(0, Rounds).Max(round =>
            {
                long start = Clock.NowNs;
                Steps(StepsOfARound);
                return (double)StepsOfARound / (Clock.NowNs - start);
            });
        }
    }
}
