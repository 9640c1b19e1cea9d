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
        public void aPoolWhoseThreadsAllWaitGrows()
        {
            const int Threads = 20;
            using (var pool = new LabPool(Growing(Threads)))
            {
                Assert.Equal(Threads, AssertMeet(pool, Threads));
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

                Assert.True(done.Wait(s_patience));
                Assert.Equal(3, pool.ThreadCount);
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
