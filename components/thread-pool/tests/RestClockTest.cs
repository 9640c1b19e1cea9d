using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools
{
    public sealed class RestClockTest
    {
        private readonly RestClock _clock = new RestClock();

        [Fact]
        public void ItStandsStillBeforeAndAfterASleep()
        {
            Assert.Equal(0L, _clock.AsleepNs);
            _clock.Begin();
            _clock.End();
            long slept = _clock.AsleepNs;
            Thread.Sleep(1);
            Assert.Equal(slept, _clock.AsleepNs);
        }

        [Fact]
        public void ItRunsDuringASleepAndAddsTheNextOne()
        {
            _clock.Begin();
            Assert.True(_clock.IsRunning);
            Thread.Sleep(1);
            long during = _clock.AsleepNs;
            Assert.True(during >= 1_000_000, $"1 ms later it stands at {during} ns");
            _clock.End();
            Assert.False(_clock.IsRunning);
            long first = _clock.AsleepNs;
            Assert.True(first >= during, $"{first} ns after the sleep, {during} in it");
            _clock.Begin();
            Thread.Sleep(1);
            _clock.End();
            Assert.True(_clock.AsleepNs >= first + 1_000_000, $"{_clock.AsleepNs} ns after a second sleep");
        }
    }
}
