using Perflab.Testing;

namespace Perflab.ThreadPools.Catga
{
    public sealed class IdleSleepTest
    {
        private const long TickNs = 15_600_000;

        [Theory]
        [InlineData(0, 1)]
        [InlineData(1, 1)]
        [InlineData(TickNs - 1, 1)]
        [InlineData(TickNs, 2)]
        [InlineData(TickNs + 1, 2)]
        public void WhoFallsAsleepBetweenTwoTicksWakesAtTheSecond(long nowNs, long tick) =>
            Assert.Equal(tick * TickNs, IdleSleep.NextTick(nowNs, TickNs));
    }
}
