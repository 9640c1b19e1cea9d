using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>Tasks as work items: waits within the pool, tokens, async functions, value tasks, the scheduler.</summary>
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

        [Fact]
        public void ATokenCancelsATaskThatWaits()
        {
            using (var pool = new LabPool(Fixed(1)))
            using (var begun = new ManualResetEventSlim())
            using (var gate = new ManualResetEventSlim())
            using (var source = new CancellationTokenSource())
            {
                pool.Run(new Call(() =>
                {
                    begun.Set();
                    gate.Wait();
                }));
                begun.Wait(); // or the urgent one would be first
                bool ran = false;
                Task[] tasks =
                {
                    pool.RunAsync(() => { ran = true; }, WorkPriority.Normal, source.Token),
                    pool.RunAsync(() => ran = true, WorkPriority.High, source.Token),
                    pool.RunAsync(() => Do(() => ran = true), WorkPriority.Low, source.Token),
                };
                source.Cancel();
                gate.Set();
                Assert.True(EndAsCancelled(tasks));
                Assert.False(ran, "a cancelled task ran");
            }
        }

        [Fact]
        public void ATaskThatHeedsItsTokenEndsAsCancelled()
        {
            using (var pool = new LabPool(Fixed(1)))
            using (var source = new CancellationTokenSource())
            {
                Task heeds = pool.RunAsync(
                    () =>
                    {
                        source.Cancel();
                        source.Token.ThrowIfCancellationRequested();
                    },
                    WorkPriority.Normal,
                    source.Token);
                Assert.True(EndAsCancelled(heeds));
                Task unheard = pool.RunAsync(
                    () => throw new OperationCanceledException("of something else"),
                    WorkPriority.Normal,
                    new CancellationTokenSource().Token);
                Assert.Throws<OperationCanceledException>(() => unheard.GetAwaiter().GetResult());
            }
        }

        /// <summary>Forbidden: a task that heeds its token fails, because others that the token tells have not been told
        /// yet.</summary>
        [Fact]
        public void ATaskThatHeedsItsTokenEndsAsCancelledWhileTheTokenTellsOthers()
        {
            using (var pool = new LabPool(Fixed(1)))
            using (var source = new CancellationTokenSource())
            {
                CancellationToken token = source.Token;
                Task heeds = pool.RunAsync(
                    () =>
                    {
                        SpinWait.SpinUntil(() => token.IsCancellationRequested);
                        token.ThrowIfCancellationRequested();
                    },
                    WorkPriority.Normal,
                    token);
                // who registered last is told first
                using (token.Register(() => Task.WaitAny(new[] { heeds }, s_patience)))
                {
                    source.Cancel();
                }

                Assert.True(EndAsCancelled(heeds));
            }
        }

        /// <summary>Bytes of the submitting thread: that a token can cancel a task costs it no registration with the
        /// pool, which all tasks would share.</summary>
        [Fact]
        public void ATokenCostsASourceAndTheObjectThatHoldsIt()
        {
            const int Tasks = 1000;
            const int Source = 64;
            const int Holder = 48;
            using (var pool = new LabPool(Fixed(1)))
            using (var source = new CancellationTokenSource())
            {
                Func<int> function = () => 1;
                var tasks = new Task[Tasks];
                BytesPerTask(source.Token);
                long plain = BytesPerTask(CancellationToken.None);
                long cancellable = BytesPerTask(source.Token);
                Assert.True(
                    cancellable <= plain + Source + Holder, $"{cancellable} bytes with a token, {plain} without");

                long BytesPerTask(CancellationToken token)
                {
                    long before = GC.GetAllocatedBytesForCurrentThread();
                    for (int i = 0; i < Tasks; i++)
                    {
                        tasks[i] = pool.RunAsync(function, WorkPriority.Normal, token);
                    }

                    long bytes = GC.GetAllocatedBytesForCurrentThread() - before;
                    Task.WaitAll(tasks);
                    return bytes / Tasks;
                }
            }
        }

        /// <summary>Forbidden: a promise that a shutdown does not keep, of whatever kind.</summary>
        [Fact]
        public void AShutdownCancelsTasksOfAllKinds()
        {
            using (var gate = new ManualResetEventSlim())
            using (var begun = new ManualResetEventSlim())
            using (var source = new CancellationTokenSource())
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
                    pool.RunAsync(() => { ran = true; }, WorkPriority.Low, source.Token),
                    pool.RunAsync(() => ran = true, WorkPriority.High, source.Token),
                    pool.RunAsync(() => Do(() => ran = true)),
                    pool.RunAsync(() => Do(() => ran = true), WorkPriority.Normal, source.Token),
                    pool.RunValueAsync(() => ran = true).AsTask(),
                };
                Assert.False(pool.Shutdown(ShutdownMode.Cancel, TimeSpan.FromMilliseconds(50)), "a task is running");
                Assert.True(EndAsCancelled(tasks));
                gate.Set();
                Assert.True(pool.Shutdown(ShutdownMode.Cancel, s_patience));
                Assert.False(ran, "a cancelled task ran");
            }
        }

        [Fact]
        public void AnAsyncFunctionEndsWithItsTaskAndGoesOnOnThePoolsThreads()
        {
            using (var pool = new LabPool(Fixed(2)))
            {
                Task<bool> function = pool.RunAsync(async () =>
                {
                    await Task.Delay(1);
                    string? thread = Thread.CurrentThread.Name;
                    await Task.Yield();
                    return Worker(thread) && Worker(Thread.CurrentThread.Name);
                });
                Assert.True(function.Wait(s_patience) && function.Result, "it went on elsewhere");
                Task failing = pool.RunAsync(async () =>
                {
                    await Task.Yield();
                    throw new FormatException("after an await");
                });
                Assert.Throws<FormatException>(() => failing.GetAwaiter().GetResult());
            }

            static bool Worker(string? name) => name?.StartsWith("LabPool worker", StringComparison.Ordinal) == true;
        }

        /// <summary>Forbidden: the rest of an async function is lost because the pool is gone.</summary>
        [Fact]
        public void TheRestOfAnAsyncFunctionRunsAlthoughThePoolIsShutDown()
        {
            var pool = new LabPool(Fixed(1));
            var signal = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            using (var awaiting = new ManualResetEventSlim())
            {
                Task<int> function = pool.RunAsync(async () =>
                {
                    Task<bool> awaited = signal.Task;
                    awaiting.Set();
                    await awaited;
                    return 42;
                });
                Assert.True(awaiting.Wait(s_patience));
                Assert.True(pool.Shutdown(ShutdownMode.Drain, s_patience));
                signal.SetResult(true);
                Assert.True(function.Wait(s_patience), "the rest is lost");
                Assert.Equal(42, function.Result);
            }
        }

        [Fact]
        public void TheSchedulerRunsTasksThatAreMadeElsewhere()
        {
            using (var pool = new LabPool(Fixed(1)))
            {
                Task<string?> made = Task.Factory.StartNew(
                    () => Thread.CurrentThread.Name, CancellationToken.None, TaskCreationOptions.None, pool.Scheduler);
                Task<string?> follows = made.ContinueWith(_ => Thread.CurrentThread.Name, pool.Scheduler);
                Assert.Equal("LabPool worker 0", made.Result);
                Assert.Equal("LabPool worker 0", follows.Result);
            }
        }

        [Fact]
        public void AValueTaskHasItsResultOrException()
        {
            using (var pool = new LabPool(Fixed(2)))
            {
                for (int i = 0; i < 100; i++)
                {
                    int number = i;
                    Assert.Equal(number, pool.RunValueAsync(() => number).AsTask().Result);
                    Task<int> failing = pool.RunValueAsync<int>(() => throw new FormatException()).AsTask();
                    Assert.Throws<FormatException>(() => failing.GetAwaiter().GetResult());
                }

                Assert.Throws<ArgumentNullException>(() => pool.RunValueAsync<int>(null!));
                pool.Dispose();
                Assert.Throws<ObjectDisposedException>(() => pool.RunValueAsync(() => 1));
            }
        }

        /// <summary>Forbidden: a result that is taken for that of an earlier use of the same promise.</summary>
        [Fact]
        public void AResultIsTakenOnce()
        {
            using (var pool = new LabPool(Fixed(1)))
            {
                ValueTask<int> task = pool.RunValueAsync(() => 1);
                Assert.True(Deadline.Comes(() => task.IsCompleted));
                Assert.Equal(1, task.Result);
                Assert.Throws<InvalidOperationException>(() => task.Result.ToString());
                ValueTask<int> next = pool.RunValueAsync(() => 2);
                Assert.Throws<InvalidOperationException>(() => task.Result.ToString());
                Assert.True(Deadline.Comes(() => next.IsCompleted));
                Assert.Equal(2, next.Result);
            }
        }

        /// <summary>Bytes of the whole process, as for structs.</summary>
        [Fact]
        public void AValueTaskAllocatesNothing()
        {
            const int Tasks = 1000;
            const int Rounds = 50;
            using (var pool = new LabPool(Fixed(2)))
            {
                Func<int> function = () => 1;
                var tasks = new ValueTask<int>[Tasks];
                int sum = 0;
                Play();
                Play();
                long before = GC.GetTotalAllocatedBytes(precise: true);
                Play();
                long perTask = (GC.GetTotalAllocatedBytes(precise: true) - before) / (Tasks * Rounds);
                Assert.Equal(0L, perTask);
                Assert.Equal(3 * Tasks * Rounds, sum);

                void Play()
                {
                    for (int round = 0; round < Rounds; round++)
                    {
                        for (int i = 0; i < Tasks; i++)
                        {
                            tasks[i] = pool.RunValueAsync(function);
                        }

                        for (int i = 0; i < Tasks; i++)
                        {
                            while (!tasks[i].IsCompleted)
                            {
                                Thread.Yield();
                            }

                            sum += tasks[i].Result;
                        }
                    }
                }
            }
        }

        private static async Task Do(Action action)
        {
            await Task.Yield();
            action();
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
