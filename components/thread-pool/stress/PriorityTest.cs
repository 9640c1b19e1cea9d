using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>Priorities are obeyed, and nobody starves: the bounds are those of LabPool's selection.</summary>
    public class PriorityTest
    {
        private const int Turn = (int)LabPool.LowTurn;

        [Fact]
        public void OfThreeThatWaitTheHighOneIsFirst()
        {
            List<string> order = OrderOfOneWorker(record =>
            {
                record(WorkPriority.Low, "low");
                record(WorkPriority.Normal, "normal");
                record(WorkPriority.High, "high");
            });
            Assert.Equal<IEnumerable<string>>(new[] { "high", "normal", "low" }, order);
        }

        [Fact]
        public void OfOneHundredAndOneHundredTheHighOnesAreDoneFirst()
        {
            List<string> order = OrderOfOneWorker(record =>
            {
                Repeat(100, i => record(WorkPriority.Low, "low"));
                Repeat(100, i => record(WorkPriority.High, "high"));
            });
            int last = order.LastIndexOf("high");
            int overtaken = order.Take(last).Count(name => name == "low");
            Assert.InRange(overtaken, 0, (100 / Turn) + 1);
        }

        /// <summary>Forbidden: 64 consecutive tasks without a Low one while Low tasks wait; the same for Normal
        /// ones.</summary>
        [Fact]
        public void AmongTasksOfAWorkerEachKindHasItsTurn()
        {
            List<string> order = OrderOfOneWorker(record =>
            {
                Repeat(2000, i => record(WorkPriority.High, "high"));
                Repeat(20, i => record(WorkPriority.Normal, "normal"));
                Repeat(20, i => record(WorkPriority.Low, "low"));
            });
            AssertGaps(order, "low", 20);
            AssertGaps(order, "normal", 20);
        }

        /// <summary>Forbidden: the oldest task of a deque waits for ever while newer ones come and go.</summary>
        [Fact]
        public void TheOldestOfADequeHasItsTurn()
        {
            using (var pool = OneWorker())
            using (var done = new ManualResetEventSlim())
            {
                int begun = 0;
                int begunBefore = -1;
                pool.Run(new Call(() =>
                {
                    pool.Run(new Call(() =>
                    {
                        begunBefore = begun;
                        done.Set();
                    }));
                    pool.Run(new Call(Newer));
                }));
                Assert.True(done.Wait(TimeSpan.FromSeconds(30)), "the oldest task starved");
                Assert.InRange(begunBefore, 0, 2 * Turn);

                void Newer()
                {
                    if (++begun < 1_000_000 && !done.IsSet)
                    {
                        pool.Run(new Call(Newer));
                    }
                }
            }
        }

        /// <summary>Forbidden: a task in the deque of a worker that waits for just this task, while another worker's
        /// own tasks never run out.</summary>
        [Fact]
        public void TheDequeOfAWorkerThatIsHeldHasItsTurn()
        {
            const int Enough = 1_000_000;
            using (var pool = new LabPool(new LabPoolOptions { MinThreads = 2, MaxThreads = 2 }))
            using (var linked = new ManualResetEventSlim())
            using (var done = new ManualResetEventSlim())
            {
                int links = 0;
                int linksAtTheEnd = int.MaxValue;
                int linksBefore = 0;
                int linksUntil = 0;
                Task holder = pool.RunAsync(() =>
                {
                    Assert.True(linked.Wait(TimeSpan.FromSeconds(30)), "the other worker has not begun");
                    pool.Run(new Call(() =>
                    {
                        linksUntil = Volatile.Read(ref links);
                        done.Set();
                    }));
                    linksBefore = Volatile.Read(ref links); // some later than it was queued
                    Volatile.Write(ref linksAtTheEnd, linksBefore + Enough);
                    done.Wait(TimeSpan.FromSeconds(30));
                });
                pool.Run(new Call(Link));
                Assert.True(holder.Wait(TimeSpan.FromSeconds(40)), "the task starved, and who waits for it");
                Assert.True(
                    linksUntil - linksBefore <= Turn,
                    $"it began after {linksUntil - linksBefore} of the other worker's own tasks");

                void Link()
                {
                    linked.Set();
                    if (Interlocked.Increment(ref links) < Volatile.Read(ref linksAtTheEnd) && !done.IsSet)
                    {
                        pool.Run(new Call(Link));
                    }
                }
            }
        }

        /// <summary>Forbidden: a Low task with q before it begins later than (q + 1)(63 W + 1) tasks after it was
        /// queued.</summary>
        [Theory]
        [InlineData(2)]
        [InlineData(4)]
        public void NoLowTaskStarvesUnderAFloodOfHighOnes(int workers)
        {
            const int Low = 50;
            var options = new LabPoolOptions { MinThreads = workers, MaxThreads = workers };
            using (var pool = new LabPool(options))
            using (var gate = new ManualResetEventSlim())
            using (var held = new CountdownEvent(workers))
            using (var done = new CountdownEvent(Low))
            {
                Repeat(workers, i => pool.Run(new Call(() =>
                {
                    held.Signal();
                    gate.Wait();
                })));
                held.Wait();
                long[] begunAt = new long[Low];
                long begun = 0;
                Repeat(Low, i => pool.Run(
                    new Call(() =>
                    {
                        begunAt[i] = Interlocked.Increment(ref begun);
                        done.Signal();
                    }),
                    WorkPriority.Low));

                // each of them is followed by another one: High tasks never run out
                Repeat(4 * workers, i => pool.Run(new Call(Flood), WorkPriority.High));
                gate.Set();
                Assert.True(done.Wait(TimeSpan.FromSeconds(40)), "Low tasks starved");
                for (int q = 0; q < Low; q++)
                {
                    // one more of each worker's may have been begun and not yet counted
                    Assert.InRange(begunAt[q], 1, ((q + 1) * (((Turn - 1) * workers) + 1)) + workers);
                }

                void Flood()
                {
                    Interlocked.Increment(ref begun);
                    if (!done.IsSet)
                    {
                        pool.Run(new Call(Flood), WorkPriority.High);
                    }
                }
            }
        }

        private static void AssertGaps(List<string> order, string name, int count)
        {
            int last = -1;
            for (int i = 0; i < order.Count && count > 0; i++)
            {
                if (order[i] == name)
                {
                    last = i;
                    count--;
                }

                Assert.True(i - last < Turn, $"{i - last} tasks without a {name} one, up to number {i}");
            }
        }

        /// <summary>What one worker makes of tasks that all wait when it begins.</summary>
        private static List<string> OrderOfOneWorker(Action<Action<WorkPriority, string>> submit)
        {
            var order = new List<string>();
            using (var held = new ManualResetEventSlim())
            using (var gate = new ManualResetEventSlim())
            using (var pool = OneWorker())
            {
                pool.Run(new Call(() =>
                {
                    held.Set();
                    gate.Wait();
                }));
                held.Wait();
                submit((priority, name) => pool.Run(new Call(() => order.Add(name)), priority));
                gate.Set();
                Assert.True(pool.Shutdown(ShutdownMode.Drain, TimeSpan.FromSeconds(30)));
            }

            return order;
        }

        private static LabPool OneWorker() => new LabPool(new LabPoolOptions { MinThreads = 1, MaxThreads = 1 });

        private static void Repeat(int times, Action<int> body)
        {
            for (int i = 0; i < times; i++)
            {
                body(i);
            }
        }
    }
}
