using System;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>The rule against machines whose throughput is a formula.</summary>
    public class HillClimbTest
    {
        private const int Processors = 4;

        [Fact]
        public void TasksThatBlockGetAllThreadsThatAreAllowed() =>
            Assert.Equal(64, Settle(4, samples: 20, threads => 100.0 * threads, threads => 0.1));

        [Fact]
        public void APoolThatIsStuckGrowsWithoutATrial() =>
            Assert.Equal(64, Settle(4, samples: 8, threads => 0, threads => 0.1));

        [Fact]
        public void TasksThatComputeGetNoMoreThreadsThanProcessors() =>
            Assert.Equal(Processors, Settle(Processors, samples: 1000, Computing, Math.Min));

        [Fact]
        public void ThreadsInExcessOfTheProcessorsAreGivenUpIfTasksCompute() =>
            Assert.Equal(Processors, Settle(40, samples: 60, Computing, Math.Min));

        [Fact]
        public void GrowthEndsWhereItDoesNotPayAnyMore()
        {
            // something else than the processors limits it, from twelve threads on
            int threads = Settle(4, samples: 500, n => 100.0 * Math.Min(n, 12), n => 0.5);
            Assert.InRange(threads, 12, 18);
        }

        /// <summary>Hysteresis: the longer nothing changes, the rarer the trials.</summary>
        [Fact]
        public void TrialsInVainBecomeRare()
        {
            var climb = new HillClimb(4, 64, Processors);
            int threads = 4;
            int trials = 0;
            for (int sample = 0; sample < 1000; sample++)
            {
                int next = climb.Next(threads, 1000, 1.0); // idle processors, and yet no more is done with more threads
                trials += next > threads ? 1 : 0;
                threads = next;
            }

            Assert.InRange(trials, 3, 12);
            Assert.InRange(threads, 4, 6);
        }

        [Fact]
        public void TheLimitsHold()
        {
            var random = new Random(1);
            var climb = new HillClimb(3, 7, Processors);
            int threads = 3;
            for (int sample = 0; sample < 10_000; sample++)
            {
                threads = climb.Next(threads, random.Next(3) * random.Next(1000), random.NextDouble() * Processors);
                Assert.InRange(threads, 3, 7);
            }
        }

        private static double Computing(int threads) => 1000.0 * Math.Min(threads, Processors);

        private static int Settle(int threads, int samples, Func<int, double> rate, Func<int, double> processors)
        {
            var climb = new HillClimb(Processors, 64, Processors);
            for (int sample = 0; sample < samples; sample++)
            {
                threads = climb.Next(threads, rate(threads), processors(threads));
            }

            return threads;
        }

        private static int Settle(int threads, int samples, Func<int, double> rate, Func<int, int, int> used) =>
            Settle(threads, samples, rate, n => used(n, Processors));
    }
}
