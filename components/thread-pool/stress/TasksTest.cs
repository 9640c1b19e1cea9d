using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>Tasks as work items: waits within the pool, and the end of the pool.</summary>
    public class TasksTest
    {
        private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

        /// <summary>Forbidden: all threads wait for tasks that wait for a thread.</summary>
        [Theory]
        [InlineData(1)]
        [InlineData(2)]
        public void TasksThatWaitForTasksNeedNoFurtherThreads(int threads)
        {
            const int Depth = 9;
            var pool = new LabPool(Fixed(threads));
            Task<int> tree = pool.RunAsync(() => Count(Depth));
            Assert.True(tree.Wait(s_patience), "the threads wait for each other");
            Assert.Equal((1 << (Depth + 1)) - 1, tree.Result);
            Assert.True(pool.Shutdown(ShutdownMode.Drain, s_patience));

            int Count(int depth)
            {
                if (depth == 0)
                {
                    return 1;
                }

                Task<int> left = pool.RunAsync(() => Count(depth - 1), (WorkPriority)(depth % 3));
                Task<int> right = pool.RunAsync(() => Count(depth - 1));
                return 1 + left.Result + right.Result;
            }
        }

        /// <summary>Forbidden: a task that is run twice, by who waits for it and by who takes it out of the
        /// queue.</summary>
        [Theory]
        [InlineData(2000)]
        public void ATaskThatIsWaitedForRunsOnce(int rounds)
        {
            using (var pool = new LabPool(Fixed(3)))
            {
                var runs = new int[rounds];
                Delays.Inject(3, () =>
                {
                    for (int i = 0; i < rounds; i++)
                    {
                        int round = i;
                        Task outer = pool.RunAsync(() =>
                            pool.RunAsync(() => { Interlocked.Increment(ref runs[round]); }, WorkPriority.High).Wait());
                        Assert.True(outer.Wait(s_patience), $"round {round} does not end");
                    }
                });
                Assert.True(runs.All(count => count == 1), "a task ran twice, or not at all");
            }
        }

        [Fact]
        public void ACallerFromOutsideWaitsAndDoesNotWork()
        {
            using (var pool = new LabPool(Fixed(1)))
            {
                int caller = Environment.CurrentManagedThreadId;
                for (int i = 0; i < 100; i++)
                {
                    Assert.NotEqual(caller, pool.RunAsync(() => Environment.CurrentManagedThreadId).Result);
                }
            }
        }

        /// <summary>Forbidden: a promise that a shutdown does not keep, of whatever kind.</summary>
        [Fact]
        public void AShutdownCancelsTasksOfAllKinds()
        {
            using (var gate = new ManualResetEventSlim())
            using (var begun = new ManualResetEventSlim())
            {
                var pool = new LabPool(Fixed(1));
                pool.Run(new Call(() =>
                {
                    begun.Set();
                    gate.Wait();
                }));
                begun.Wait();
                bool ran = false;
                Task[] tasks =
                {
                    pool.RunAsync(() => { ran = true; }),
                    pool.RunAsync(() => ran = true),
                    pool.RunAsync(() => { ran = true; }, WorkPriority.Low),
                    pool.RunAsync(() => ran = true, WorkPriority.High),
                };
                Assert.False(pool.Shutdown(ShutdownMode.Cancel, TimeSpan.FromMilliseconds(50)), "a task is running");
                Assert.True(EndAsCancelled(tasks));
                gate.Set();
                Assert.True(pool.Shutdown(ShutdownMode.Cancel, s_patience));
                Assert.False(ran, "a cancelled task ran");
            }
        }

        private static bool EndAsCancelled(params Task[] tasks)
        {
            Task all = Task.WhenAll(tasks);
            return Task.WaitAny(new[] { all }, s_patience) == 0 && tasks.All(task => task.IsCanceled);
        }

        private static LabPoolOptions Fixed(int threads) =>
            new LabPoolOptions { MinThreads = threads, MaxThreads = threads };
    }
}
