using System.Linq;
using Perflab.Testing;

namespace Perflab.Bench.Tests
{
    public sealed class LatenciesTest
    {
        [Theory]
        [InlineData(0.0, 1000, 1)]
        [InlineData(50.0, 1000, 500)]
        [InlineData(99.9, 1000, 999)]
        [InlineData(99.99, 1000, 1000)]
        [InlineData(99.9, 1001, 1000)]
        [InlineData(100.0, 1000, 1000)]
        [InlineData(50.0, 1, 1)]
        [InlineData(50.0, 2, 1)]
        [InlineData(50.0, 3, 2)]
        public void ARankIsTheSmallestThatCoversThePercentage(double percent, int count, int rank) =>
            Assert.Equal(rank, Latencies.Rank(percent, count));

        [Fact]
        public void ThePercentilesAreOfAllThatWasRecordedInAnyOrder()
        {
            var latencies = new Latencies();
            foreach (int latency in Enumerable.Range(1, 1000).Reverse())
            {
                latencies.Add(latency);
            }

            latencies.Add(-1);
            Assert.Equal(
                new long[] { 0, 500, 750, 900, 950, 990, 999, 1000, 1000 }, latencies.Percentiles().Values.Cast<long>());
        }
    }
}
