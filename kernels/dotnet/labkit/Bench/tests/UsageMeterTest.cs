using System.Collections.Generic;
using System.Threading;
using Perflab.Testing;

namespace Perflab.Bench.Tests
{
    public sealed class UsageMeterTest
    {
        private static object? s_kept;

        [Fact]
        public void BytesAreExact()
        {
            var meter = new UsageMeter();
            Assert.Equal(0, Counter(meter, "allocated_bytes", () => { }));
            Assert.Equal(24 + 1000, Counter(meter, "allocated_bytes", () => s_kept = new byte[1000]));
        }

        [Fact]
        public void ASleepIsASwitch()
        {
            var meter = new UsageMeter();
            long slept = Counter(meter, "voluntary_switches", () => Thread.Sleep(1));
            Assert.True(slept >= 1, $"{slept} switches");
        }

        [Fact]
        public void CpuTimeIsThatOfAllThreads()
        {
            long burned = Counter(new UsageMeter(), "cpu_ns", () =>
            {
                var thread = new Thread(() => Clock.SpinUntil(Clock.NowNs + 20_000_000));
                thread.Start();
                thread.Join();
            });
            Assert.True(burned > 100_000, $"a thread spun for 20 ms, and the process used {burned} ns");
        }

        [Fact]
        public void CpuTimeByThreadIsThatOfThreadsAlive()
        {
            using var burned = new ManualResetEventSlim();
            using var read = new ManualResetEventSlim();
            long before = ThreadCpu.OfOthersNs;
            var thread = new Thread(() =>
            {
                Clock.SpinUntil(Clock.NowNs + 20_000_000);
                burned.Set();
                read.Wait();
            });
            thread.Start();
            burned.Wait();
            long grown = ThreadCpu.OfOthersNs - before;
            read.Set();
            // Before what it waits for is disposed of.
            thread.Join();
            Assert.True(grown > 100_000, $"a thread spun for 20 ms, and its CPU time grew by {grown} ns");
        }

        private static long Counter(UsageMeter meter, string name, ThreadStart region)
        {
            // Whatever is allocated once, such as a stub of the runtime, is allocated in the first round.
            for (int i = 0; ; i++)
            {
                var sample = new Sample();
                meter.Begin();
                region();
                meter.End(sample);
                if (i == 2)
                {
                    return ((IDictionary<string, long>)sample.ToJson(0)["counters"])[name];
                }
            }
        }
    }
}
