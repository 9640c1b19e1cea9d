using System;
using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    public class SizeTest
    {
        /// <summary>Forbidden: tasks that wait for another which waits for a thread, and the pool does not
        /// grow.</summary>
        [Fact]
        public void aPoolWhoseThreadsAllWaitGrows()
        {
            const int Threads = 20;
            using (var pool = new LabPool(Growing(Threads)))
            {
                AssertMeet(pool, Threads);
                Assert.Equal(Threads, pool.ThreadCount);
            }
        }

        [Fact]
        public void threadsWithoutWorkLeaveAndOthersComeBack()
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
        public void aPoolOfOneSizeKeepsIt()
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

                Assert.True(done.Wait(TimeSpan.FromSeconds(30)));
                Assert.Equal(3, pool.ThreadCount);
            }
        }

        /// <summary>So many tasks, none of which ends before all have begun.</summary>
        private static void AssertMeet(LabPool pool, int tasks)
        {
            using (var begun = new CountdownEvent(tasks))
            using (var ended = new CountdownEvent(tasks))
            {
                for (int i = 0; i < tasks; i++)
                {
                    pool.Run(new Call(() =>
                    {
                        begun.Signal();
                        begun.Wait();
                        ended.Signal();
                    }));
                }

                Assert.True(ended.Wait(TimeSpan.FromSeconds(30)), $"{pool.ThreadCount} threads for {tasks}");
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
