using System;
using System.Threading;
using static Perflab.Bench.ContractException;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>No task waits for ever because others keep coming.</summary>
    internal static class FairnessChecks
    {
        /// <summary>By then, thousands of others have been preferred.</summary>
        private static readonly TimeSpan s_starved = TimeSpan.FromSeconds(3);

        /// <summary>For each urgent task that has run, another thread submits the next one.</summary>
        public static void LowBehindHigh(IWorkPool pool)
        {
            using var lowRan = new ManualResetEventSlim();
            using var ran = new SemaphoreSlim(2 * pool.ThreadCount);
            int left = 0;
            var feeder = new Thread(() =>
            {
                while (!lowRan.IsSet)
                {
                    ran.Wait();
                    Interlocked.Increment(ref left);
                    pool.Run(
                        new Deed(() =>
                        {
                            ran.Release();
                            Interlocked.Decrement(ref left);
                        }),
                        WorkPriority.High);
                }
            })
            { IsBackground = true };
            feeder.Start();
            pool.Run(new Deed(lowRan.Set), WorkPriority.Low);
            bool inTime = lowRan.Wait(s_starved);
            lowRan.Set();
            Require(feeder.Join(PoolContract.LostAfter), "an urgent task never ran");
            Waiting.Until(() => Volatile.Read(ref left) == 0, () => $"{left} urgent tasks never ran");
            Require(inTime, "the task of low priority never ran");
        }

        /// <summary>Each task submits its successor, on as many threads as the pool has.</summary>
        public static void OutsideBehindInside(IWorkPool pool)
        {
            using var outsideRan = new ManualResetEventSlim();
            int chains = 2 * pool.ThreadCount;
            int begun = 0;
            int ended = 0;
            void Link()
            {
                if (outsideRan.IsSet)
                {
                    Interlocked.Increment(ref ended);
                }
                else
                {
                    pool.Run(new Deed(Link));
                }
            }

            for (int i = 0; i < chains; i++)
            {
                pool.Run(new Deed(() =>
                {
                    Interlocked.Increment(ref begun);
                    Link();
                }));
            }

            Waiting.Until(
                () => Volatile.Read(ref begun) >= pool.ThreadCount, () => $"{begun} of {chains} chains have begun");
            pool.Run(new Deed(outsideRan.Set));
            bool inTime = outsideRan.Wait(s_starved);
            outsideRan.Set();
            Waiting.Until(() => Volatile.Read(ref ended) == chains, () => $"{ended} of {chains} chains have ended");
            Require(inTime, "the task from outside never ran");
        }
    }
}
