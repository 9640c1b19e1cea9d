using System;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    public class LabPoolTest
    {
        private const int Seconds = 30;

        /// <summary>Forbidden: a task that is lost or executed twice, of trees from two callers in all
        /// priorities.</summary>
        [Theory]
        [InlineData(300_000)]
        public void EachTaskIsExecutedOnce(int tasks)
        {
            var tally = new Tally(tasks);
            var options = new LabPoolOptions
            {
                MinThreads = 4, MaxThreads = 8, FirstTicket = long.MaxValue - 99_999, FirstLength = 2,
            };
            using (var pool = new LabPool(options))
            {
                new Crowd().Add(2, caller =>
                {
                    for (int i = caller; i < tasks; i += 2)
                    {
                        if (i % 4 < 2)
                        {
                            pool.Run(new Pair(pool, tally, i, i + 2 < tasks ? i + 2 : -1), (WorkPriority)(i % 3));
                        }
                    }
                }).Run();
                Assert.True(
                    Deadline.Comes(() => tally.IsComplete, seconds: 500),
                    $"{pool.QueuedCount} tasks wait, the rest is lost");
            }

            tally.AssertEachOnce();
        }

        [Theory(Timeout = 600_000)]
        [Category("stress")]
        [InlineData(10_000_000)]
        public void EachOfTenMillionTasksIsExecutedOnce(int tasks) => EachTaskIsExecutedOnce(tasks);

        [Fact]
        public void WhatAStructThrowsReachesTheHandlerAndCostsNoThread()
        {
            using (var pool = new LabPool(new LabPoolOptions { MinThreads = 1, MaxThreads = 1 }))
            using (var seen = new CountdownEvent(2))
            {
                pool.Run(new Call(() => throw new FormatException("nobody listens")));
                pool.WorkFailed += exception =>
                {
                    seen.Signal();
                    throw exception; // a handler's own failure costs no thread either
                };
                SpinWait.SpinUntil(() => pool.QueuedCount == 0);
                pool.Run(new Call(() => throw new FormatException("first")));
                pool.Run(new Call(() => throw new FormatException("second")));
                Assert.True(seen.Wait(TimeSpan.FromSeconds(Seconds)));
                Assert.Equal(1, pool.RunAsync(() => 1).Result);
            }
        }

        /// <summary>Forbidden: an exception that nobody ever hears of.</summary>
        [Theory]
        [InlineData(false)]
        [InlineData(true)]
        public void WhatNobodyHandlesIsAnUnobservedException(bool handlerThrows)
        {
            var mark = new FormatException("nobody handles this");
            var heard = new ManualResetEventSlim();
            void Hear(object? sender, UnobservedTaskExceptionEventArgs told)
            {
                if (told.Exception!.Flatten().InnerExceptions.Contains(mark))
                {
                    heard.Set();
                }
            }

            TaskScheduler.UnobservedTaskException += Hear;
            try
            {
                using (var pool = new LabPool())
                {
                    if (handlerThrows)
                    {
                        pool.WorkFailed += exception => throw new NotSupportedException("a handler's own");
                    }

                    pool.Run(new Call(() => throw mark));
                }

                Assert.True(Deadline.Comes(() =>
                {
                    GC.Collect();
                    GC.WaitForPendingFinalizers();
                    return heard.IsSet;
                }));
            }
            finally
            {
                TaskScheduler.UnobservedTaskException -= Hear;
            }
        }

        /// <summary>Forbidden: a task that begins with what an earlier one left on its thread.</summary>
        [Fact]
        public void WhatATaskLeavesOnItsThreadIsGoneForTheNext()
        {
            var local = new AsyncLocal<string?>();
            var other = new CultureInfo(CultureInfo.CurrentCulture.Name);
            using (var pool = new LabPool(new LabPoolOptions { MinThreads = 1, MaxThreads = 1 }))
            {
                Action[] deeds =
                {
                    () => local.Value = "left behind",
                    () => CultureInfo.CurrentCulture = other,
                    () => CultureInfo.CurrentUICulture = other,
                    () => SynchronizationContext.SetSynchronizationContext(new SynchronizationContext()),
                    () => ExecutionContext.SuppressFlow(),
                    () =>
                    {
                        local.Value = "left behind";
                        throw new FormatException("and thrown");
                    },
                };
                for (int deed = 0; deed < deeds.Length; deed++)
                {
                    pool.Run(new Call(deeds[deed]));
                    string found = "nothing";
                    using (var done = new ManualResetEventSlim())
                    {
                        pool.Run(new Call(() =>
                        {
                            found = local.Value != null ? "an AsyncLocal"
                                : ReferenceEquals(CultureInfo.CurrentCulture, other) || ReferenceEquals(CultureInfo.CurrentUICulture, other)
                                    ? "a culture"
                                : SynchronizationContext.Current != null ? "a SynchronizationContext"
                                : ExecutionContext.IsFlowSuppressed() ? "a suppressed flow"
                                : "nothing";
                            done.Set();
                        }));
                        Assert.True(done.Wait(TimeSpan.FromSeconds(Seconds)));
                    }

                    Assert.True(found == "nothing", $"deed {deed} left {found}");
                }
            }
        }

        /// <summary>A task that shuts its pool down executes others, in their context and not in its own.</summary>
        [Fact]
        public void ATaskThatShutsDownKeepsItsContextToItself()
        {
            var local = new AsyncLocal<string?>();
            string? others = "not executed";
            string? own = null;
            var pool = new LabPool(new LabPoolOptions { MinThreads = 1, MaxThreads = 1 });
            using (var done = new ManualResetEventSlim())
            {
                pool.Run(new Call(() =>
                {
                    local.Value = "the closer's";
                    pool.Run(new Call(() =>
                    {
                        others = local.Value;
                        local.Value = "the other's";
                    }));
                    pool.Dispose();
                    own = local.Value;
                    done.Set();
                }));
                Assert.True(done.Wait(TimeSpan.FromSeconds(Seconds)));
            }

            Assert.Null(others);
            Assert.Equal("the closer's", own);
        }

        [Fact]
        public void ATaskHasItsCallersContextAndTheWorkerKeepsNone()
        {
            var local = new AsyncLocal<string?>();
            using (var pool = new LabPool(new LabPoolOptions { MinThreads = 1, MaxThreads = 1 }))
            {
                local.Value = "caller";
                Assert.Equal("caller", pool.RunAsync(() => local.Value).Result);
                pool.RunAsync(() => local.Value = "task").Wait();
                pool.RunAsync(() => { local.Value = "action"; }).Wait();
                string? workers = "none";
                using (var done = new ManualResetEventSlim())
                {
                    pool.Run(new Call(() =>
                    {
                        workers = local.Value;
                        done.Set();
                    }));
                    done.Wait();
                }

                Assert.Null(workers);
                Assert.Equal("caller", local.Value);
            }
        }

        /// <summary>Bytes of the whole process, because a task passes through two threads. Not one per task, once it
        /// has run in.</summary>
        [Theory]
        [InlineData(false)]
        [InlineData(true)]
        public void AStructAllocatesNothing(bool fromWithin)
        {
            const int Tasks = 1000;
            const int Rounds = 100;
            using (var pool = new LabPool(new LabPoolOptions { MinThreads = 2, MaxThreads = 2 }))
            using (var done = new CountdownEvent(Tasks))
            {
                var burst = new Burst(pool, done, Tasks);
                Play(Rounds);
                long before = GC.GetTotalAllocatedBytes(precise: true);
                Play(Rounds);
                long perTask = (GC.GetTotalAllocatedBytes(precise: true) - before) / (Tasks * Rounds);
                Assert.Equal(0L, perTask);

                void Play(int rounds)
                {
                    for (int round = 0; round < rounds; round++)
                    {
                        done.Reset();
                        if (fromWithin)
                        {
                            pool.Run(burst);
                        }
                        else
                        {
                            burst.Execute();
                        }

                        done.Wait();
                    }
                }
            }
        }

        [Fact]
        public void OptionsOutOfRangeAreNamed()
        {
            AssertRefused("MinThreads", options => options.MinThreads = 0);
            AssertRefused("MaxThreads", options => options.MaxThreads = options.MinThreads - 1);
            AssertRefused("MaxThreads", options => options.MaxThreads = 5000);
            AssertRefused("ScalingInterval", options => options.ScalingInterval = TimeSpan.Zero);
            AssertRefused("SpinLimit", options => options.SpinLimit = TimeSpan.FromTicks(-1));
            AssertRefused("IdleTimeout", options => options.IdleTimeout = TimeSpan.Zero);
        }

        [Fact]
        public void APriorityThatIsNoneIsRefused()
        {
            using var pool = new LabPool();
            Assert.Throws<ArgumentOutOfRangeException>(() => pool.Run(new Call(() => { }), (WorkPriority)3));
            Assert.Throws<ArgumentOutOfRangeException>(() => pool.RunAsync(() => { }, (WorkPriority)3));
        }

        [Fact]
        public void SleepIsCounted()
        {
            using (var pool = new LabPool(new LabPoolOptions { MinThreads = 2, MaxThreads = 2 }))
            {
                Assert.True(Deadline.Comes(() => pool.AsleepNs > 0));
                long before = pool.AsleepNs;
                Assert.True(Deadline.Comes(() => pool.AsleepNs > before), "a sleep that lasts counts, too");
            }
        }

        private static void AssertRefused(string option, Action<LabPoolOptions> change)
        {
            var options = new LabPoolOptions();
            change(options);
            Assert.Equal(option, Assert.Throws<ArgumentOutOfRangeException>(() => new LabPool(options)).ParamName);
        }

        private readonly struct Pair : IWork
        {
            private readonly LabPool _pool;
            private readonly Tally _tally;
            private readonly int _number;
            private readonly int _second;

            internal Pair(LabPool pool, Tally tally, int number, int second)
            {
                _pool = pool;
                _tally = tally;
                _number = number;
                _second = second;
            }

            public void Execute()
            {
                _tally.Count(_number);
                if (_second >= 0)
                {
                    _pool.Run(new Pair(_pool, _tally, _second, -1));
                }
            }
        }

        private readonly struct Burst : IWork
        {
            private readonly LabPool _pool;
            private readonly CountdownEvent _done;
            private readonly int _tasks;

            internal Burst(LabPool pool, CountdownEvent done, int tasks)
            {
                _pool = pool;
                _done = done;
                _tasks = tasks;
            }

            public void Execute()
            {
                for (int i = 0; i < _tasks; i++)
                {
                    _pool.Run(new Signal(_done));
                }
            }
        }

        private readonly struct Signal : IWork
        {
            private readonly CountdownEvent _done;

            internal Signal(CountdownEvent done) => _done = done;

            public void Execute() => _done.Signal();
        }
    }
}
