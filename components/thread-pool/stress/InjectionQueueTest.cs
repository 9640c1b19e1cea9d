using System;
using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    public class InjectionQueueTest
    {
        private static readonly long[] s_starts = { 0, int.MaxValue - 7L, long.MaxValue - 7 };

        [Fact]
        public void FirstInFirstOutAcrossSegments() => FromEachStart(queue =>
        {
            for (int round = 0, next = 0, oldest = 0; round < 50; round++)
            {
                for (int i = 0; i < 7; i++)
                {
                    Assert.True(queue.Put(new Numbered(next++)));
                }

                var into = new WorkSlot[5];
                for (int i = 0, taken = queue.Take(into, into.Length); i < taken; i++)
                {
                    Assert.Equal(oldest++, Number(into[i]));
                }
            }
        });

        [Fact]
        public void NothingIsTakenFromAnEmptyQueue() => FromEachStart(queue =>
        {
            var into = new WorkSlot[1];
            Assert.Equal(0, queue.Take(into, 1));
            Assert.False(queue.HasReady);
            Assert.True(queue.IsDrained);
            queue.Put(new Numbered(0));
            Assert.True(queue.HasReady);
            Assert.False(queue.IsDrained);
            Assert.Equal(1, queue.Take(into, 1));
            Assert.Equal(0, queue.Take(into, 1));
        });

        [Fact]
        public void AClosedQueueAcceptsNothingAndGivesWhatItHas() => FromEachStart(queue =>
        {
            queue.Put(new Numbered(0));
            queue.Close();
            Assert.False(queue.Put(new Numbered(1)));
            Assert.False(queue.IsDrained);
            Assert.Equal(1, queue.Take(new WorkSlot[2], 2));
            Assert.True(queue.IsDrained);
        });

        /// <summary>Forbidden: an empty queue that counts as not drained: who drains it would wait for ever.</summary>
        [Fact]
        public void ASegmentThatCameJustBeforeTheEndHoldsNobodyUp() => FromEachStart(queue =>
        {
            var into = new WorkSlot[8];
            int accepted = 0;
            int taken = 0;
            Intrusion.At(Point.SegmentFull, () => taken = queue.Take(into, into.Length), () =>
                Intrusion.At(Point.SegmentLinked, queue.Close, () =>
                {
                    while (queue.Put(new Numbered(accepted)))
                    {
                        accepted++;
                    }
                }));
            Assert.Equal(accepted, taken);
            Assert.True(queue.IsDrained, "all was taken, and the queue is closed");
            Assert.False(queue.HasReady);
        });

        [Fact]
        public void AQueueThatHasBeenAsLongBeforeAllocatesNothing()
        {
            var queue = new InjectionQueue(0, 2);
            var into = new WorkSlot[100];
            var items = new Numbered[100];
            for (int i = 0; i < items.Length; i++)
            {
                items[i] = new Numbered(i);
            }

            FillAndEmpty();
            FillAndEmpty();
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 100; i++)
            {
                FillAndEmpty();
            }

            Assert.Equal(0L, GC.GetAllocatedBytesForCurrentThread() - before);

            void FillAndEmpty()
            {
                foreach (Numbered item in items)
                {
                    queue.Put(item);
                }

                int taken = 0;
                while (taken < items.Length)
                {
                    taken += queue.Take(into, into.Length); // ends where a segment ends
                }
            }
        }

        /// <summary>Forbidden: an item that is lost or taken twice; two of one producer that one taker gets in the
        /// wrong order.</summary>
        [Theory]
        [InlineData(0L, 2, 300_000)]
        [InlineData(long.MaxValue - 100_001, 1, 300_000)]
        public void NoItemIsLostDoubledOrOutOfOrder(long start, int length, int items) => Race(start, length, items);

        [Theory(Timeout = 600_000)]
        [Category("stress")]
        [InlineData(long.MaxValue - 5_000_001, 2, 10_000_000)]
        public void NoneOfTenMillionIsLostDoubledOrOutOfOrder(long start, int length, int items) =>
            Race(start, length, items);

        /// <summary>Forbidden: an item that was accepted and is not there when the closed queue is drained, or the
        /// reverse.</summary>
        [Theory]
        [InlineData(500)]
        public void ClosingDrawsALine(int rounds)
        {
            for (int round = 0; round < rounds; round++)
            {
                CloseInTheMiddle(round);
            }
        }

        [Theory(Timeout = 600_000)]
        [Category("stress")]
        [InlineData(50_000)]
        public void ClosingDrawsALineEachTime(int rounds) => ClosingDrawsALine(rounds);

        private static void CloseInTheMiddle(int seed)
        {
            var queue = new InjectionQueue(long.MaxValue - 1, 2);
            int accepted = 0;
            int taken = 0;
            Delays.Inject(seed, () => new Crowd()
                .Add(2, _ =>
                {
                    while (queue.Put(new Numbered(0)))
                    {
                        Interlocked.Increment(ref accepted);
                    }
                })
                .Add(1, _ =>
                {
                    var into = new WorkSlot[3];
                    bool closed = false;
                    while (!closed || !queue.IsDrained)
                    {
                        taken += queue.Take(into, into.Length);
                        if (!closed && taken > seed % 50)
                        {
                            queue.Close();
                            closed = true;
                        }
                    }
                })
                .Run());
            Assert.Equal(accepted, taken);
        }

        private static void Race(long start, int length, int items)
        {
            const int Producers = 2;
            var queue = new InjectionQueue(start, length, largestLength: 1024);
            var tally = new Tally(items);
            new Crowd()
                .Add(Producers, producer =>
                {
                    for (int i = producer; i < items; i += Producers)
                    {
                        queue.Put(new Numbered(i));
                    }
                })
                .Add(2, _ => TakeInOrder(queue, tally, Producers))
                .Run();
            tally.AssertEachOnce();
            Assert.True(queue.IsDrained);
        }

        private static void TakeInOrder(InjectionQueue queue, Tally tally, int producers)
        {
            var patience = new Deadline(TimeSpan.FromMinutes(5));
            var into = new WorkSlot[7];
            var last = new int[producers];
            Array.Fill(last, -1);
            while (!tally.IsComplete && !patience.IsOver)
            {
                int taken = queue.Take(into, into.Length);
                for (int i = 0; i < taken; i++)
                {
                    int number = Number(into[i]);
                    ref int before = ref last[number % producers];
                    Assert.True(number > before, $"{number} after {before}");
                    before = number;
                    tally.Count(number);
                }
            }
        }

        private static int Number(WorkSlot slot) => ((Numbered)slot.Item!).Number;

        private static void FromEachStart(Action<InjectionQueue> test)
        {
            foreach (long start in s_starts)
            {
                foreach (int length in new[] { 1, 2, 8 })
                {
                    test(new InjectionQueue(start & ~1, length));
                }
            }
        }
    }
}
