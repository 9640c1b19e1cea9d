using System;
using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>Forbidden: a task is queued, and everybody sleeps.</summary>
    public class WakeupTest
    {
        [Theory]
        [InlineData(1, 3000)]
        [InlineData(2, 3000)]
        [InlineData(3, 2000)]
        public void NoScheduleLeavesATaskToSleepers(int workers, int schedules)
        {
            for (int seed = 0; seed < schedules; seed++)
            {
                Assert.True(Play(seed, workers) == 0, $"tasks were left with seed {seed}");
            }
        }

        [Theory(Timeout = 600_000)]
        [Category("stress")]
        [InlineData(2, 50_000)]
        [InlineData(3, 50_000)]
        public void NoneOfManySchedulesLeavesATaskToSleepers(int workers, int schedules) =>
            NoScheduleLeavesATaskToSleepers(workers, schedules);

        /// <summary>A control: without the second look (W3) there is such a schedule, and it is found.</summary>
        [Fact]
        public void WithoutTheSecondLookAWakeupIsLost() => FindsLoss(Point.OnTheStack, workers: 1);

        /// <summary>A control: without the look at the end of the search (S2) tasks wait although a worker
        /// sleeps.</summary>
        [Fact]
        public void WithoutTheLookAtTheEndOfASearchAWorkerSleepsOn()
        {
            // The searcher's task waits for the one that was queued while it searched, and nobody else was woken for
            // that.
            FindsSleeper(Point.SearchEnded, BothMeet, schedules: 500);
        }

        [Fact]
        public void TwoTasksThatWaitForEachOtherMeet()
        {
            for (int seed = 0; seed < 2000; seed++)
            {
                Assert.True(BothMeet(seed), $"a sleeper was needed and not woken with seed {seed}");
            }
        }

        /// <summary>A control: who looks while a batch is in hand sees nothing, and nobody wakes it
        /// afterwards.</summary>
        [Fact]
        public void WithoutTheAnnouncementOfABatchAWorkerSleepsOn() =>
            FindsSleeper(Point.BatchQueued, TwoOfABatchMeet, schedules: 2000);

        [Fact]
        public void TwoTasksOfABatchThatWaitForEachOtherMeet()
        {
            for (int seed = 0; seed < 2000; seed++)
            {
                Assert.True(TwoOfABatchMeet(seed), $"a sleeper was needed and not woken with seed {seed}");
            }
        }

        /// <summary>The same with real parkers, and pauses at the points in place of schedules.</summary>
        [Theory]
        [InlineData(3000)]
        public void PausesLoseNoWakeup(int rounds)
        {
            var options = new LabPoolOptions { MinThreads = 3, MaxThreads = 3, FirstTicket = long.MaxValue - 1001 };
            using (var pool = new LabPool(options))
            {
                Delays.Inject(7, () =>
                {
                    for (int round = 0; round < rounds; round++)
                    {
                        using (var done = new CountdownEvent(6))
                        {
                            new Crowd().Add(2, _ => pool.Run(new Tree(pool, done, 1))).Run();
                            Assert.True(
                                done.Wait(TimeSpan.FromSeconds(20)),
                                $"round {round}: {done.CurrentCount} tasks wait while everybody sleeps");
                        }
                    }
                });
            }
        }

        [Theory(Timeout = 600_000)]
        [Category("stress")]
        [InlineData(50_000)]
        public void PausesLoseNoWakeupInALongRun(int rounds) => PausesLoseNoWakeup(rounds);

        private static void FindsLoss(Point leftOut, int workers)
        {
            Schedule.LeftOut = leftOut;
            try
            {
                bool lost = false;
                for (int seed = 0; seed < 2000 && !lost; seed++)
                {
                    lost = Play(seed, workers) > 0;
                }

                Assert.True(lost, $"leaving out the step after {leftOut} did no harm");
            }
            finally
            {
                Schedule.LeftOut = null;
            }
        }

        private static void FindsSleeper(Point leftOut, Func<int, bool> meet, int schedules)
        {
            Schedule.LeftOut = leftOut;
            try
            {
                bool stuck = false;
                for (int seed = 0; seed < schedules && !stuck; seed++)
                {
                    stuck = !meet(seed);
                }

                Assert.True(stuck, "no schedule was found in which a sleeper is needed and not woken");
            }
            finally
            {
                Schedule.LeftOut = null;
            }
        }

        private static long Play(int seed, int workers)
        {
            var done = new CountdownEvent(1 + 3 + 1 + 1);
            return Schedule.Play(
                seed,
                Options(workers),
                pool => pool.Run(new Tree(pool, done, 1)),
                pool =>
                {
                    pool.Run(new Tree(pool, done, 0), WorkPriority.Low);
                    pool.Run(new Tree(pool, done, 0), WorkPriority.High);
                });
        }

        private static bool BothMeet(int seed)
        {
            var meeting = new Meeting();
            Schedule.Play(
                seed,
                Options(workers: 2),
                pool => pool.Run(new Attend(meeting)),
                pool => pool.Run(new Attend(meeting)));
            return meeting.HaveMet;
        }

        /// <summary>Two workers are awake, and neither is the searcher, when three tasks are there: one of them takes
        /// two at once, and the other the third, after which it sees nothing more.</summary>
        private static bool TwoOfABatchMeet(int seed)
        {
            var meeting = new Meeting();
            int held = 0;
            bool queued = false;
            LabPoolOptions options = Options(workers: 2);
            options.FirstLength = 8;
            Schedule.Play(seed, options, pool =>
            {
                pool.Run(new Call(Hold));
                pool.Run(new Call(Hold));
                GiveWayUntil(() => held == 2);
                pool.Run(new Attend(meeting));
                pool.Run(new Attend(meeting));
                pool.Run(new Call(() => { }));
                queued = true;
            });
            return meeting.HaveMet;

            void Hold()
            {
                held++; // one thread at a time
                GiveWayUntil(() => queued);
            }
        }

        /// <summary>Gives the others their turn, for as long as anybody else can go on.</summary>
        private static void GiveWayUntil(Func<bool> condition)
        {
            const int Patience = 2000;
            for (int i = 0; i < Patience && !condition(); i++)
            {
                Points.Reach(Point.Queued);
            }
        }

        private static LabPoolOptions Options(int workers) => new LabPoolOptions
        {
            MinThreads = workers,
            MaxThreads = workers,
            SpinLimit = TimeSpan.Zero,
            FirstTicket = long.MaxValue - 3,
            FirstLength = 2,
        };

        /// <summary>Queues two more for each level below.</summary>
        private readonly struct Tree : IWork
        {
            private readonly LabPool _pool;
            private readonly CountdownEvent _done;
            private readonly int _levels;

            internal Tree(LabPool pool, CountdownEvent done, int levels)
            {
                _pool = pool;
                _done = done;
                _levels = levels;
            }

            public void Execute()
            {
                if (_levels > 0)
                {
                    _pool.Run(new Tree(_pool, _done, _levels - 1));
                    _pool.Run(new Tree(_pool, _done, _levels - 1));
                }

                _done.Signal();
            }
        }

        /// <summary>Two that have to be there at the same time.</summary>
        private sealed class Meeting
        {
            private int _present;

            internal bool HaveMet { get; private set; }

            internal void Attend()
            {
                _present++; // one thread at a time
                GiveWayUntil(() => HaveMet |= _present == 2);
                _present -= HaveMet ? 0 : 1;
            }
        }

        private readonly struct Attend : IWork
        {
            private readonly Meeting _meeting;

            internal Attend(Meeting meeting) => _meeting = meeting;

            public void Execute() => _meeting.Attend();
        }
    }
}
