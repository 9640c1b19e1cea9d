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

        [Fact]
        public void APoolThatLooksMoreOftenHasGrownWhileTheOtherHasNot()
        {
            using var rarely = LooksEvery(TimeSpan.FromHours(1));
            using var often = LooksEvery(TimeSpan.FromMilliseconds(5));
            using var gate = new ManualResetEventSlim();
            Task[] tasks = Enumerable.Range(0, 100)
                .SelectMany(i => new[] { rarely.RunAsync(gate.Wait), often.RunAsync(gate.Wait) })
                .ToArray();
            Waiting.Until(() => often.ThreadCount == 8, () => $"the pool has {often.ThreadCount} threads of 8");
            Assert.Equal(1, rarely.ThreadCount);
            gate.Set();
            Waiting.For(Task.WhenAll(tasks), "a task");
        }

        private static CatgaPool LooksEvery(TimeSpan interval) => new CatgaPool(new CatgaOptions
        {
            MinThreads = 1,
            MaxThreads = 8,
            ScalingCheckInterval = interval,
        });
    }
}
