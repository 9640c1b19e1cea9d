using System;
using System.Linq;
using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools.Catga
{
    public sealed class CatgaMetricsTest
    {
        private const int TasksOfAThread = 1_000_000;
        private const int Rounds = 500;

        [Fact]
        public void SharedCountersWithoutALockLoseCounts()
        {
            if (Environment.ProcessorCount < 2)
            {
                return; // threads that take turns hardly ever meet between reading and writing
            }

            int threads = 2 * Environment.ProcessorCount;
            // A round may get lucky, if its threads happen to run one after the other: on a busy machine many do.
            bool lost = Enumerable.Range(0, Rounds).Any(round => Counted(threads) < (long)threads * TasksOfAThread);
            Assert.True(lost, $"no count was lost in {Rounds} rounds");
        }

        private static long Counted(int threads)
        {
            var metrics = new CatgaMetrics();
            using var together = new Barrier(threads);
            Thread[] all = Enumerable.Range(0, threads)
                .Select(number => new Thread(() =>
                {
                    together.SignalAndWait();
                    for (int i = 0; i < TasksOfAThread; i++)
                    {
                        metrics.Completed(1);
                    }
                }))
                .ToArray();
            Array.ForEach(all, thread => thread.Start());
            Array.ForEach(all, thread => thread.Join());
            return metrics.CompletedTasks;
        }
    }
}
