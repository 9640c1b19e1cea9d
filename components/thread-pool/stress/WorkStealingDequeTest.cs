using System;
using System.Linq;
using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    public class WorkStealingDequeTest
    {
        private static readonly long[] s_starts = { 0, int.MaxValue - 5L, long.MaxValue - 5 };

        [Fact]
        public void TheOwnerTakesTheNewestAndThievesTheOldest() => FromEachStart(deque =>
        {
            Push(deque, 0, 10);
            Assert.Equal(9, Number(deque.Take()));
            Assert.Equal(0, Number(deque.Steal(out _)));
            Assert.Equal(8, Number(deque.Take()));
            Assert.Equal(1, Number(deque.Steal(out _)));
            Assert.Equal(6L, deque.Count);
        });

        [Fact]
        public void TheLastItemGoesToOne() => FromEachStart(deque =>
        {
            Push(deque, 0, 1);
            Assert.Equal(0, Number(deque.Take()));
            Assert.Null(deque.Take());
            Assert.Null(deque.Steal(out bool lostRace));
            Assert.False(lostRace);
            Push(deque, 1, 1);
            Assert.Equal(1, Number(deque.Steal(out _)));
            Assert.Null(deque.Take());
            Assert.True(deque.IsEmpty);
        });

        [Fact]
        public void ItGrowsInTheMiddleOfARound() => FromEachStart(deque =>
        {
            for (int next = 0, oldest = 0; next < 3000; next += 3)
            {
                Push(deque, next, 3);
                Assert.Equal(oldest++, Number(deque.Steal(out _)));
            }

            Assert.Equal(2000L, deque.Count);
            for (int newest = 2999; newest >= 1000; newest--)
            {
                Assert.Equal(newest, Number(deque.Take()));
            }
        });

        [Fact]
        public void ABatchIsTakenInItsOrder() => FromEachStart(deque =>
        {
            var batch = Enumerable.Range(0, 10).Select(i => new WorkSlot { Item = new Numbered(i) }).ToArray();
            deque.PushReversed(batch, 1, 9);
            Assert.Equal(8, Number(deque.Steal(out _)));
            for (int i = 1; i < 8; i++)
            {
                Assert.Equal(i, Number(deque.Take()));
            }

            Assert.Null(deque.Take());
        });

        /// <summary>Forbidden: an item that is lost or taken twice. The deque is mostly short, where owner and thieves
        /// meet.</summary>
        [Theory]
        [InlineData(0L, 300_000)]
        [InlineData(long.MaxValue - 100_000, 300_000)]
        public void NoItemIsLostOrDoubled(long start, int items) => Race(start, items);

        [Theory(Timeout = 600_000)]
        [Category("stress")]
        [InlineData(long.MaxValue - 5_000_000, 10_000_000)]
        public void NoneOfTenMillionIsLostOrDoubled(long start, int items) => Race(start, items);

        private static void Race(long start, int items)
        {
            var deque = new WorkStealingDeque(start, length: 1);
            var tally = new Tally(items);
            new Crowd()
                .Add(1, _ => Own(deque, items, tally))
                .Add(2, _ => Rob(deque, tally))
                .Run();
            tally.AssertEachOnce();
        }

        private static void Own(WorkStealingDeque deque, int items, Tally tally)
        {
            var random = new Random(1);
            for (int next = 0; next < items;)
            {
                for (int pushes = random.Next(1, 6); pushes > 0 && next < items; pushes--)
                {
                    deque.Push(new Numbered(next++));
                }

                for (int takes = random.Next(0, 6); takes > 0; takes--)
                {
                    CountIfAny(deque.Take(), tally);
                }
            }

            while (!deque.IsEmpty)
            {
                CountIfAny(deque.Take(), tally);
            }
        }

        private static void Rob(WorkStealingDeque deque, Tally tally)
        {
            // An item in the hands of one is yet to be counted; if one is lost, nobody ever completes the tally.
            var patience = new Deadline(TimeSpan.FromMinutes(5));
            while (!tally.IsComplete && !patience.IsOver)
            {
                CountIfAny(deque.Steal(out _), tally);
            }
        }

        private static void CountIfAny(object? item, Tally tally)
        {
            if (item != null)
            {
                tally.Count(item);
            }
        }

        private static void FromEachStart(Action<WorkStealingDeque> test)
        {
            foreach (long start in s_starts)
            {
                test(new WorkStealingDeque(start, length: 2));
            }
        }

        private static void Push(WorkStealingDeque deque, int first, int count)
        {
            for (int i = first; i < first + count; i++)
            {
                deque.Push(new Numbered(i));
            }
        }

        private static int Number(object? item) => ((Numbered)item!).Number;
    }
}
