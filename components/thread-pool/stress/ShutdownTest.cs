using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    public class ShutdownTest
    {
        private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

        /// <summary>Forbidden: an accepted task that is not executed exactly once, a refused one that is.</summary>
        [Theory]
        [InlineData(300)]
        public void DrainingExecutesWhatWasAccepted(int rounds)
        {
            for (int round = 0; round < rounds; round++)
            {
                (int accepted, int executed, bool ended) = ShutDownUnderLoad(round, ShutdownMode.Drain);
                Assert.True(ended, $"round {round}: threads were left");
                Assert.Equal(accepted, executed);
            }
        }

        /// <summary>Forbidden: more is executed than was accepted, or a thread is left.</summary>
        [Theory]
        [InlineData(300)]
        public void CancellingEndsAllThreads(int rounds)
        {
            for (int round = 0; round < rounds; round++)
            {
                (int accepted, int executed, bool ended) = ShutDownUnderLoad(round, ShutdownMode.Cancel);
                Assert.True(ended, $"round {round}: threads were left");
                Assert.InRange(executed, 0, accepted);
            }
        }

        [Theory(Timeout = 600_000)]
        [Category("stress")]
        [InlineData(5_000)]
        public void DrainingExecutesWhatWasAcceptedEachTime(int rounds) => DrainingExecutesWhatWasAccepted(rounds);

        /// <summary>Forbidden: a promise that nobody keeps.</summary>
        [Theory]
        [InlineData(ShutdownMode.Drain)]
        [InlineData(ShutdownMode.Cancel)]
        public void EveryPromiseIsKeptOrCancelled(ShutdownMode mode)
        {
            for (int round = 0; round < 100; round++)
            {
                var tasks = new ConcurrentBag<Task>();
                var pool = new LabPool(Fixed(2));
                Delays.Inject(round, () => new Crowd()
                    .Add(2, _ =>
                    {
                        try
                        {
                            while (true)
                            {
                                tasks.Add(pool.RunAsync(() => 1, WorkPriority.Low));
                            }
                        }
                        catch (ObjectDisposedException)
                        {
                            // that is when to stop
                        }
                    })
                    .Add(1, _ =>
                    {
                        SpinWait.SpinUntil(() => tasks.Count > 10);
                        Assert.True(pool.Shutdown(mode, s_patience), "threads were left");
                    })
                    .Run());
                Assert.True(tasks.All(EndsInTime), "a promise was not kept");
                Assert.True(tasks.All(
                    task => task.IsCompletedSuccessfully || (task.IsCanceled && mode == ShutdownMode.Cancel)));
            }
        }

        [Fact]
        public void ATaskThatDoesNotEndHoldsNobodyUpBeyondTheTimeout()
        {
            using (var begun = new ManualResetEventSlim())
            using (var gate = new ManualResetEventSlim())
            {
                var pool = new LabPool(Fixed(1));
                Task held = pool.RunAsync(() =>
                {
                    begun.Set();
                    gate.Wait();
                });
                begun.Wait();
                Task waiting = pool.RunAsync(() => { });
                Task waitingToo = pool.RunAsync(() => { }, WorkPriority.High);
                bool ended = pool.Shutdown(ShutdownMode.Drain, TimeSpan.FromMilliseconds(50));
                Assert.False(ended, "a task is still running");
                Assert.True(EndsInTime(waiting) && EndsInTime(waitingToo), "nobody will execute these any more");
                Assert.True(waiting.IsCanceled && waitingToo.IsCanceled);
                Assert.False(held.IsCompleted);
                gate.Set();
                Assert.True(pool.Shutdown(ShutdownMode.Drain, s_patience), "the thread ends with its task");
                Assert.True(held.IsCompletedSuccessfully);
                Assert.Equal(0, pool.ThreadCount);
            }
        }

        /// <summary>Forbidden: a task begins once a shutdown that cancels has let a caller be refused.</summary>
        [Fact]
        public void NothingBeginsAfterTheFirstRefusal()
        {
            using (var begun = new ManualResetEventSlim())
            using (var gate = new ManualResetEventSlim())
            {
                var pool = new LabPool(Fixed(1));
                pool.Run(new Call(() =>
                {
                    begun.Set();
                    gate.Wait();
                }));
                begun.Wait();
                Task[] waiting = { pool.RunAsync(() => { }), pool.RunAsync(() => 1, WorkPriority.High) };
                Intrusion.At(
                    Point.Closed,
                    () =>
                    {
                        Assert.Throws<ObjectDisposedException>(() => pool.RunAsync(() => { }));
                        gate.Set();
                        Assert.True(waiting.All(EndsInTime), "the worker has left a task behind");
                    },
                    () => Assert.True(pool.Shutdown(ShutdownMode.Cancel, s_patience), "a thread was left"));
                Assert.True(waiting.All(task => task.IsCanceled), "a task began after the refusal");
            }
        }

        /// <summary>Forbidden: what follows an await on a cancelled task runs inside the shutdown.</summary>
        [Theory]
        [InlineData(false)]
        [InlineData(true)]
        public void WhatRunsAfterACancelledAwaitHoldsNobodyUp(bool withResult)
        {
            using (var begun = new ManualResetEventSlim())
            using (var gate = new ManualResetEventSlim())
            using (var heard = new ManualResetEventSlim())
            {
                var pool = new LabPool(Fixed(1));
                pool.Run(new Call(() =>
                {
                    begun.Set();
                    gate.Wait();
                }));
                begun.Wait();
                Task following = Use();
                var shutdown = new Thread(() => pool.Shutdown(ShutdownMode.Cancel, TimeSpan.FromMilliseconds(50)));
                shutdown.IsBackground = true;
                shutdown.Start();
                bool returned = shutdown.Join(s_patience);
                Assert.True(heard.Wait(s_patience), "nobody was told");
                gate.Set();
                Assert.True(following.Wait(s_patience));
                Assert.True(returned, "the shutdown waited for what follows the await");
                Assert.True(pool.Shutdown(ShutdownMode.Cancel, s_patience));

                async Task Use()
                {
                    try
                    {
                        await (withResult ? pool.RunAsync(() => 1) : pool.RunAsync(() => { }));
                    }
                    catch (OperationCanceledException)
                    {
                        heard.Set();
                        gate.Wait();
                    }
                }
            }
        }

        [Fact]
        public void WhatRunsAfterAnAwaitMayDispose()
        {
            var pool = new LabPool(Fixed(1));
            int after = 0;
            Task disposal = Use();
            Assert.True(disposal.Wait(s_patience), "the pool waits for the thread that disposes of it");
            Assert.Equal(10, after);

            async Task Use()
            {
                await pool.RunAsync(() => { });
                for (int i = 0; i < 10; i++)
                {
                    _ = pool.RunAsync(() => Interlocked.Increment(ref after));
                }

                pool.Dispose();
            }
        }

        private static (int Accepted, int Executed, bool Ended) ShutDownUnderLoad(int seed, ShutdownMode mode)
        {
            int accepted = 0;
            int executed = 0;
            bool ended = false;
            var pool = new LabPool(new LabPoolOptions
            {
                MinThreads = 1 + (seed % 3),
                MaxThreads = 4,
                FirstTicket = long.MaxValue - 101,
                FirstLength = 2,
                ScalingInterval = TimeSpan.FromMilliseconds(1),
            });
            void Submit(WorkPriority priority, bool parent)
            {
                pool.Run(
                    new Call(() =>
                    {
                        Interlocked.Increment(ref executed);
                        if (parent)
                        {
                            TrySubmit(WorkPriority.Normal, parent: false);
                        }
                    }),
                    priority);
                Interlocked.Increment(ref accepted);
            }

            bool TrySubmit(WorkPriority priority, bool parent)
            {
                try
                {
                    Submit(priority, parent);
                    return true;
                }
                catch (ObjectDisposedException)
                {
                    return false;
                }
            }

            Delays.Inject(seed, () => new Crowd()
                .Add(3, number =>
                {
                    while (TrySubmit((WorkPriority)number, parent: true))
                    {
                    }
                })
                .Add(1, _ =>
                {
                    SpinWait.SpinUntil(() => Volatile.Read(ref executed) >= seed % 20);
                    ended = pool.Shutdown(mode, s_patience);
                })
                .Run());
            return (accepted, executed, ended);
        }

        private static bool EndsInTime(Task task) => Task.WaitAny(new[] { task }, s_patience) == 0;

        private static LabPoolOptions Fixed(int threads) =>
            new LabPoolOptions { MinThreads = threads, MaxThreads = threads };
    }
}
