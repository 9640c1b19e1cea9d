using System;
using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    public class SizeTest
    {
        private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

        /// <summary>Forbidden: tasks that wait for another which waits for a thread, and the pool does not
        /// grow.</summary>
        [Fact]
        public void APoolWhoseThreadsAllWaitGrows()
        {
            const int Threads = 20;
            using (var pool = new LabPool(Growing(Threads)))
            {
                Assert.Equal(Threads, AssertMeet(pool, Threads));
            }
        }

        [Fact]
        public void ThreadsWithoutWorkLeaveAndOthersComeBack()
        {
            LabPoolOptions options = Growing(6);
            options.IdleTimeout = TimeSpan.FromMilliseconds(20);
            using (var pool = new LabPool(options))
            {
                for (int round = 0; round < 5; round++)
                {
                    AssertMeet(pool, 6);
                    Assert.True(
                        Deadline.Comes(() => pool.ThreadCount == 1),
                        $"round {round}: {pool.ThreadCount} threads stay without work");
                }
            }
        }

        [Fact]
        public void APoolOfOneSizeKeepsIt()
        {
            using (var pool = new LabPool(new LabPoolOptions { MinThreads = 3, MaxThreads = 3 }))
            using (var done = new CountdownEvent(50))
            {
                for (int i = 0; i < 50; i++)
                {
                    pool.Run(new Call(() =>
                    {
                        Thread.Sleep(1);
                        done.Signal();
                    }));
                }

                Assert.True(done.Wait(s_patience));
                Assert.Equal(3, pool.ThreadCount);
            }
        }

        /// <summary>Forbidden: an idle pool looks for work where threads were in a burst that is long over.</summary>
        [Fact]
        public void PlacesOfThreadsThatLeftAreForgotten()
        {
            LabPoolOptions options = Growing(20);
            options.IdleTimeout = TimeSpan.FromMilliseconds(20);
            using (var pool = new LabPool(options))
            {
                AssertMeet(pool, 20);
                Assert.Equal(20, pool.PlaceCount);
                Assert.True(
                    Deadline.Comes(() => pool.PlaceCount == 1),
                    $"{pool.PlaceCount} places are looked at for {pool.ThreadCount} threads");
                AssertMeet(pool, 20);
            }
        }

        /// <summary>Forbidden: the process ends, or a thread that is not there is counted, because the system has no
        /// thread to give.</summary>
        [Fact]
        public void AThreadThatDoesNotStartIsNotCountedAndTriedAgain()
        {
            using (var pool = new LabPool(Growing(4)))
            using (var refused = new SemaphoreSlim(0))
            {
                Intrusion.Everywhere = point =>
                {
                    if (point == Point.ThreadStarts)
                    {
                        refused.Release();
                        throw new OutOfMemoryException("on purpose");
                    }
                };
                using (var gate = new ManualResetEventSlim())
                using (var ended = new CountdownEvent(4))
                {
                    for (int i = 0; i < 4; i++)
                    {
                        pool.Run(new Call(() =>
                        {
                            gate.Wait();
                            ended.Signal();
                        }));
                    }

                    bool wasRefused = refused.Wait(s_patience) && refused.Wait(s_patience);
                    bool isNotCounted = Deadline.Comes(() => pool.ThreadCount == 1); // it is while it is being tried
                    Intrusion.Everywhere = null;
                    Assert.True(wasRefused, "the pool did not try again");
                    Assert.True(isNotCounted, $"{pool.ThreadCount} threads are counted");
                    Assert.True(Deadline.Comes(() => pool.ThreadCount > 1), "the pool does not grow any more");
                    gate.Set();
                    Assert.True(ended.Wait(s_patience), $"{ended.CurrentCount} tasks do not end");
                }

                Assert.True(pool.Shutdown(ShutdownMode.Drain, s_patience), "a thread is missing that never was");
            }
        }

        [Fact]
        public void APoolWhoseFirstThreadsDoNotStartIsRefusedAndLeavesNone()
        {
            int started = 0;
            int left = 0;
            Intrusion.Everywhere = point =>
            {
                if (point == Point.ThreadStarts && ++started == 3)
                {
                    throw new OutOfMemoryException("on purpose");
                }

                if (point == Point.FoundNothing)
                {
                    Interlocked.Increment(ref left);
                }
            };
            try
            {
                var options = new LabPoolOptions { MinThreads = 3, MaxThreads = 3 };
                Assert.Throws<OutOfMemoryException>(() => new LabPool(options));
                Assert.Equal(3, started);
                Assert.Equal(2, left); // each has been asleep: the constructor waited for it to leave
            }
            finally
            {
                Intrusion.Everywhere = null;
            }
        }

        /// <summary>So many tasks, none of which ends before all have begun.</summary>
        /// <returns>The pool's threads while each task has one. Afterwards the gate may have a trial undone, and
        /// those that it is done with leave.</returns>
        private static int AssertMeet(LabPool pool, int tasks)
        {
            using (var begun = new CountdownEvent(tasks))
            using (var met = new ManualResetEventSlim())
            using (var ended = new CountdownEvent(tasks))
            {
                for (int i = 0; i < tasks; i++)
                {
                    pool.Run(new Call(() =>
                    {
                        begun.Signal();
                        met.Wait();
                        ended.Signal();
                    }));
                }

                bool allBegan = begun.Wait(s_patience);
                int threads = pool.ThreadCount;
                met.Set();
                Assert.True(allBegan, $"{threads} threads for {tasks}");
                Assert.True(ended.Wait(s_patience), $"of {tasks} tasks {ended.CurrentCount} do not end");
                return threads;
            }
        }

        private static LabPoolOptions Growing(int max) => new LabPoolOptions
        {
            MinThreads = 1,
            MaxThreads = max,
            ScalingInterval = TimeSpan.FromMilliseconds(2),
        };
    }
}
