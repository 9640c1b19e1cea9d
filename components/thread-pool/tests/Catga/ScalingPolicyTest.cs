using System;
using System.Linq;
using Perflab.Testing;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>Thresholds 20, 10 and 0.7, from 2 to 8 threads, with a cool-down of 30 s.</summary>
    public sealed class ScalingPolicyTest
    {
        private readonly ScalingPolicy _policy = new ScalingPolicy(new CatgaOptions { MinThreads = 2, MaxThreads = 8 });

        [Theory]
        [InlineData(20, 2, 0)] // ten for each: not above the threshold
        [InlineData(21, 2, 1)]
        [InlineData(40, 2, 1)]
        [InlineData(41, 2, 4)]
        [InlineData(1_000, 6, 2)]
        [InlineData(1_000, 8, 0)]
        public void ItGrowsByWhatWaitsForEachThread(int waiting, int threads, int change) =>
            Assert.Equal(change, _policy.Change(waiting, threads, idle: 0, TimeSpan.Zero));

        [Fact]
        public void FromTheThirdBusyCheckOnItGrowsByTwo() =>
            Assert.Equal(new[] { 1, 1, 2, 2 }, Enumerable.Range(1, 4).Select(s => Check(waiting: 60, s)));

        [Fact]
        public void ACheckThatIsNotBusyBeginsTheCountAnew() =>
            Assert.Equal(new[] { 1, 1, 0, 1 }, new[] { 60, 60, 0, 60 }.Select((waiting, s) => Check(waiting, s)));

        [Fact]
        public void ItShrinksByOneAtTheThirdIdleCheckAfterTheCoolDown()
        {
            int[] changes = Enumerable.Range(28, 8).Select(second => Check(waiting: 0, second, idle: 3)).ToArray();
            // Seconds 28 to 35. The third idle check is at 30, when the 30 s since the start are over.
            Assert.Equal(new[] { 0, 0, -1, 0, 0, 0, 0, 0 }, changes);
            Assert.Equal(-1, Check(waiting: 0, second: 60, idle: 3));
        }

        [Fact]
        public void ItNeverShrinksBelowItsMinimumOrWhileMostThreadsWork()
        {
            Assert.Empty(Enumerable.Range(0, 100).Where(second => Check(0, second, idle: 2, threads: 2) != 0));
            Assert.Empty(Enumerable.Range(0, 100).Where(second => Check(0, second, idle: 7, threads: 10) != 0));
        }

        private int Check(int waiting, int second, int idle = 0, int threads = 4) =>
            _policy.Change(waiting, threads, idle, TimeSpan.FromSeconds(second));
    }
}
