using System;
using System.Linq;
using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools.Catga
{
    public sealed class CatgaMetricsTest
    {
        private const int TasksOfAThread = 1_000_000;

        [Fact]
        public void SharedCountersWithoutALockLoseCounts()
        {
            if (Environment.ProcessorCount < 2)
            {
                return; // threads that take turns hardly ever meet between reading and writing
            }

            int threads = 2 * Environment.ProcessorCount;
            // One round may get lucky, if its threads happen to run one after the other.
            bool lost = Enumerable.Range(0, 20).Any(round => Counted(threads) < (long)threads * TasksOfAThread);
            Assert.True(lost, "no count was lost in 20 rounds");
        }

        private static long Counted(int threads)
        {
            var metrics = new CatgaMetrics();
            Thread[] all = Enumerable.Range(0, threads)
                .Select(number => new Thread(() =>
                {
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
