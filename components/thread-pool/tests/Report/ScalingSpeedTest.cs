using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;
using Perflab.ThreadPools.Contract;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>How soon Catga's pool grows: the example of the report, 1000 tasks for 8 threads.</summary>
    public sealed class ScalingSpeedTest
    {
        private readonly ScalingPolicy _policy =
            new ScalingPolicy(new CatgaOptions { MinThreads = 8, MaxThreads = 16 });

        [Fact]
        public void TheReportsExampleAddsFourThreads() =>
            Assert.Equal(4, _policy.Change(waiting: 1_000, threads: 8, idle: 0, TimeSpan.FromSeconds(1)));

        [Fact]
        public void TheReportsExampleTakesTwoLooksToItsMaximum()
        {
            int threads = 8;
            int looks = 0;
            while (threads < 16)
            {
                threads += _policy.Change(waiting: 1_000, threads, idle: 0, TimeSpan.FromSeconds(++looks));
            }

            Assert.Equal(2, looks);
        }

        [Fact]
        public void HoweverMuchWaitsThePoolLooksOnlyWhenItsIntervalIsOver()
        {
            using var pool = new CatgaPool(new CatgaOptions
            {
                MinThreads = 1,
                MaxThreads = 8,
                AggressiveScaleUpThreshold = 1,
                ScalingCheckInterval = TimeSpan.FromHours(1),
            });
            using var gate = new ManualResetEventSlim();
            Task[] tasks = Enumerable.Range(0, 1_000).Select(i => pool.RunAsync(gate.Wait)).ToArray();
            Thread.Sleep(200);
            Assert.Equal(1, pool.ThreadCount);
            gate.Set();
            Waiting.For(Task.WhenAll(tasks), "a task");
        }
    }
}
