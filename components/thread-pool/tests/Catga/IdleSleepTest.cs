using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
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

        /// <summary>The ticks are those of the machine's clock: with a period that is nearly as long as that has run, the
        /// next one is near, and a sleep that lasted a period from its own beginning would not end.</summary>
        [Fact]
        public void ASleepEndsAtTheTickWheneverItBegan()
        {
            // Only if the thread is held up between the two looks at the clock, the tick is over before the sleep begins.
            for (int attempt = 0; attempt < 10 && RuntimeInformation.IsOSPlatform(OSPlatform.Linux); attempt++)
            {
                Task sleep = Task.Factory.StartNew(
                    () => new IdleSleep(Math.Floor(Stopwatch.GetTimestamp() / 1e6) + 200.5).Once(),
                    TaskCreationOptions.LongRunning);
                if (sleep.Wait(TimeSpan.FromSeconds(5)))
                {
                    return;
                }
            }

            Assert.False(RuntimeInformation.IsOSPlatform(OSPlatform.Linux), "no sleep ended at its tick");
        }
    }
}
