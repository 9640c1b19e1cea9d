using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using static Perflab.Bench.ContractException;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>Waits that fail in place of hanging.</summary>
    internal static class Waiting
    {
        public static void For(Task task, string what) =>
            Require(Task.WhenAny(task, Task.Delay(PoolContract.LostAfter)).Result == task, what + " never ended");

        public static void For(ManualResetEventSlim signal, string what) =>
            Require(signal.Wait(PoolContract.LostAfter), what + " never happened");

        public static void Until(Func<bool> condition, Func<string> evidence)
        {
            var clock = Stopwatch.StartNew();
            while (!condition())
            {
                Require(clock.Elapsed < PoolContract.LostAfter, evidence());
                Thread.Sleep(1);
            }
        }

        /// <summary>Occupies every thread of a pool of fixed size, and returns once it does.</summary>
        /// <param name="pool">the pool</param>
        /// <param name="gate">lets go of the threads</param>
        public static void OccupyAll(IWorkPool pool, ManualResetEventSlim gate)
        {
            int threads = pool.ThreadCount;
            int occupied = 0;
            for (int i = 0; i < threads; i++)
            {
                pool.Run(new Deed(() =>
                {
                    Interlocked.Increment(ref occupied);
                    gate.Wait();
                }));
            }

            Until(() => Volatile.Read(ref occupied) == threads, () => $"{occupied} of {threads} threads took a task");
        }

        /// <summary>Runs the same on more threads than there are processors, and waits for them.</summary>
        public static void OnManyThreads(Action<int> body)
        {
            Thread[] threads = Enumerable.Range(0, 4 * Environment.ProcessorCount)
                .Select(number => new Thread(() => body(number)) { IsBackground = true })
                .ToArray();
            foreach (Thread thread in threads)
            {
                thread.Start();
            }

            foreach (Thread thread in threads)
            {
                Require(thread.Join(PoolContract.LostAfter), "a thread that submits never came back");
            }
        }
    }
}
