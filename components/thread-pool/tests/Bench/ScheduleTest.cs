using Perflab.Testing;

namespace Perflab.ThreadPools.Measured
{
    public sealed class ScheduleTest
    {
        [Theory]
        [InlineData(10_000, 0, 0)]
        [InlineData(10_000, 1, 100_000)]
        [InlineData(3, 1, 333_333_333)]
        [InlineData(3, 2, 666_666_666)]
        [InlineData(3, 3, 1_000_000_000)]
        public void ATaskIsDueByItsNumber(int perSecond, int number, int dueNs) =>
            Assert.Equal((long)dueNs, new Schedule(perSecond).DueNs(number));

        [Fact]
        public void ADayOfTasksIsExactToTheNanosecond() =>
            Assert.Equal(86_400L * 1_000_000_000, new Schedule(9_999_999).DueNs(86_400L * 9_999_999));
    }
}
