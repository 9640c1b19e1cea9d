using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;
using Perflab.ThreadPools.Contract;
using Perflab.ThreadPools.Measured;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>What the report says of the pool, and what is true.</summary>
    public sealed class CatgaPoolTest
    {
        private const double AnHourMs = 3_600_000;

        [Fact]
        public void NothingWakesAPoolThatSleeps()
        {
            CatgaPool pool = Asleep(threads: 4);
            Task task = pool.RunAsync(() => { });
            Assert.False(task.Wait(200), "a task ran while all workers were to sleep for an hour");
            Leave(pool);
        }

        [Fact]
        public void MoreThreadsDoNotHelpAPoolThatSleeps()
        {
            CatgaPool pool = Asleep(threads: 32);
            Task task = pool.RunAsync(() => { });
            Assert.False(task.Wait(200), "one of 32 workers took a task while all were to sleep for an hour");
            Leave(pool);
        }

        /// <summary>The report's first problem: its tasks and its threads.</summary>
        [Fact]
        public void OfAThousandTasksAllButEightWaitForEightThreads()
        {
            using var pool = new CatgaPool(new CatgaOptions { MinThreads = 8, EnableDynamicScaling = false });
            using var gate = new ManualResetEventSlim();
            int started = 0;
            Task[] tasks = Enumerable.Range(0, 1_000)
                .Select(i => pool.RunAsync(() =>
                {
                    Interlocked.Increment(ref started);
                    gate.Wait();
                }))
                .ToArray();
            Waiting.Until(() => Volatile.Read(ref started) == 8, () => $"{started} tasks have started");
            Thread.Sleep(200);
            Assert.Equal(8, started);
            gate.Set();
            Waiting.For(Task.WhenAll(tasks), "a task that waited");
            Assert.Equal(1_000, started);
        }

        [Fact]
        public void TheUniTaskRowsEndBeforeAnyTaskHasBegun()
        {
            CatgaPool pool = Asleep(threads: 2);
            var submission = new ValueTaskSubmission(pool, new EqualTasks(1_000, Load.Of("sum", 1), stamps: false));
            submission.Submit();
            Assert.Equal(1_000, submission.Left);
            Leave(pool);
        }

        [Fact]
        public void NoQueueReadsThePriority()
        {
            using var pool = new CatgaPool(new CatgaOptions { MinThreads = 1, EnableDynamicScaling = false });
            using var gate = new ManualResetEventSlim();
            Waiting.OccupyAll(pool, gate);
            var order = new ConcurrentQueue<WorkPriority>();
            WorkPriority[] submitted = Enumerable.Repeat(WorkPriority.Low, 5)
                .Concat(Enumerable.Repeat(WorkPriority.High, 5))
                .ToArray();
            Task[] tasks = submitted
                .Select(priority => pool.RunAsync(() => order.Enqueue(priority), priority))
                .ToArray();
            gate.Set();
            Task.WaitAll(tasks);
            Assert.Equal(submitted, order);
        }

        [Theory]
        [InlineData(true)]
        [InlineData(false)]
        public void TasksOfATaskAreStolenIfThatIsOn(bool stealing)
        {
            using var pool = new CatgaPool(new CatgaOptions
            {
                MinThreads = 2,
                EnableDynamicScaling = false,
                EnableWorkStealing = stealing,
            });
            using var release = new ManualResetEventSlim();
            using var stolen = new CountdownEvent(5);
            Task owner = pool.RunAsync(() =>
            {
                for (int i = 0; i < 5; i++)
                {
                    pool.Run(new Deed(() => stolen.Signal()));
                }

                release.Wait();
            });
            // Its own thread is held up, so whoever runs them is a thief.
            Assert.Equal(stealing, stolen.Wait(stealing ? 10_000 : 200));
            release.Set();
            owner.Wait();
            Assert.True(stolen.Wait(10_000), "tasks were lost");
        }

        [Fact]
        public void LookingForTheCallersWorkerCopiesTheBag()
        {
            const int More = 64;
            long few = BytesOfATask(threads: 1);
            long many = BytesOfATask(threads: 1 + More);
            Assert.True(many - few >= More * IntPtr.Size, $"{few} bytes with 1 worker, {many} with {1 + More}");
        }

        [Fact]
        public void WhatItSleepsIsCounted()
        {
            using var pool = new CatgaPool(new CatgaOptions { MinThreads = 2, EnableDynamicScaling = false });
            long before = pool.AsleepNs;
            Waiting.Until(() => pool.AsleepNs > before, () => "an idle pool has not slept");
        }

        [Fact]
        public void ItGrowsWhileTasksWaitAndTasksOfWorkersThatLeaveAreNotLost()
        {
            using var pool = new CatgaPool(new CatgaOptions
            {
                MinThreads = 1,
                MaxThreads = 8,
                ScalingCheckInterval = TimeSpan.FromMilliseconds(5),
                ScaleDownCooldown = TimeSpan.Zero,
            });
            using var gate = new ManualResetEventSlim();
            Task[] tasks = Enumerable.Range(0, 1_000).Select(i => pool.RunAsync(gate.Wait)).ToArray();
            Waiting.Until(() => pool.ThreadCount == 8, () => $"the pool has {pool.ThreadCount} threads of 8");
            gate.Set();
            Waiting.For(Task.WhenAll(tasks), "a task");
            Waiting.Until(() => pool.ThreadCount == 1, () => $"the pool still has {pool.ThreadCount} threads");
            Waiting.For(pool.RunAsync(() => { }), "a task after shrinking");
        }

        /// <summary>A pool whose workers have all begun to sleep for an hour.</summary>
        private static CatgaPool Asleep(int threads)
        {
            var pool = new CatgaPool(new CatgaOptions
            {
                MinThreads = threads,
                EnableDynamicScaling = false,
                IdleSleepMs = AnHourMs,
            });
            Waiting.Until(() => pool.SleepingWorkers == threads, () => $"{pool.SleepingWorkers} of {threads} sleep");
            return pool;
        }

        /// <summary>Its threads sleep on, and end with the process.</summary>
        private static void Leave(CatgaPool pool) => pool.Shutdown(ShutdownMode.Drain, TimeSpan.Zero);

        private static long BytesOfATask(int threads)
        {
            CatgaPool pool = Asleep(threads);
            var deed = new Deed(() => { });
            long bytes = 0;
            for (int i = 0; i < 20; i++)
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                pool.Run(deed);
                bytes = GC.GetAllocatedBytesForCurrentThread() - before;
            }

            Leave(pool);
            return bytes;
        }
    }
}
