using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using static Perflab.Bench.ContractException;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>The end of a pool.</summary>
    internal static class ShutdownChecks
    {
        private const int Queued = 200;

        private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(50);

        public static void RefusesAfterwards(IWorkPool pool)
        {
            pool.Shutdown(ShutdownMode.Drain, PoolContract.LostAfter);
            FailureChecks.RequireThrows<ObjectDisposedException>(() => pool.Run(new Deed(() => { })));
            FailureChecks.RequireThrows<ObjectDisposedException>(() => pool.RunAsync(() => { }));
            FailureChecks.RequireThrows<ObjectDisposedException>(() => pool.RunAsync(() => 1));
        }

        public static void Race(IWorkPool pool)
        {
            int accepted = 0;
            int executed = 0;
            using var begun = new CountdownEvent(4 * Environment.ProcessorCount);
            Task shutdown = Task.Run(() =>
            {
                begun.Wait();
                pool.Shutdown(ShutdownMode.Drain, PoolContract.LostAfter);
            });
            Waiting.OnManyThreads(number =>
            {
                try
                {
                    for (int i = 0; ; i++)
                    {
                        pool.Run(new Deed(() => Interlocked.Increment(ref executed)));
                        Interlocked.Increment(ref accepted);
                        if (i == 0)
                        {
                            begun.Signal();
                        }
                    }
                }
                catch (ObjectDisposedException)
                {
                    // the shutdown has begun
                }
            });
            Waiting.For(shutdown, "the shutdown");
            Waiting.Until(
                () => Volatile.Read(ref executed) >= accepted,
                () => $"{executed} tasks ran of {accepted} that were accepted");
            Thread.Sleep(10);
            Require(executed == accepted, $"{executed} tasks ran, and {accepted} were accepted");
        }

        public static void Drains(IWorkPool pool)
        {
            using var gate = new ManualResetEventSlim();
            Waiting.OccupyAll(pool, gate);
            int executed = 0;
            Task[] tasks = Enumerable.Range(0, Queued)
                .Select(i => pool.RunAsync(() => { Interlocked.Increment(ref executed); }))
                .ToArray();
            Task<bool> shutdown = Task.Run(() => pool.Shutdown(ShutdownMode.Drain, PoolContract.LostAfter));
            Waiting.Until(() => Refuses(pool), () => "the shutdown never began");
            gate.Set();
            Waiting.For(shutdown, "the shutdown");
            Require(shutdown.Result, "the threads have not ended");
            Require(executed == Queued, $"{executed} of {Queued} tasks had run when the shutdown returned");
            Waiting.For(Task.WhenAll(tasks), "a task");
        }

        public static void Cancels(IWorkPool pool)
        {
            using var gate = new ManualResetEventSlim();
            Waiting.OccupyAll(pool, gate);
            int executed = 0;
            Task[] tasks = Submit(pool, () => Interlocked.Increment(ref executed));
            pool.Run(new Deed(() => Interlocked.Increment(ref executed)));
            Task<bool> shutdown = Task.Run(() => pool.Shutdown(ShutdownMode.Cancel, PoolContract.LostAfter));
            // Only now may the threads look for more: by then they must know.
            Waiting.Until(() => Refuses(pool), () => "the shutdown never began");
            gate.Set();
            Waiting.For(shutdown, "the shutdown");
            Require(shutdown.Result, "the threads have not ended");
            RequireCancelled(tasks);
            Require(executed == 0, $"{executed} tasks ran although they were cancelled");
        }

        /// <summary>
        /// The first shutdown still waits when the second comes, which has little time: that is its own affair and not
        /// that of the tasks.
        /// </summary>
        public static void DrainsThenCancels(IWorkPool pool)
        {
            using var gate = new ManualResetEventSlim();
            Waiting.OccupyAll(pool, gate);
            Task[] tasks = Submit(pool, () => { });
            Task<bool> draining = Task.Run(() => pool.Shutdown(ShutdownMode.Drain, 6 * PoolContract.LostAfter));
            Waiting.Until(() => Refuses(pool), () => "the first shutdown never began");
            Require(!tasks.Any(task => task.IsCompleted), "a task has ended, though each thread has another");
            Task<bool> cancelling = Task.Run(() => pool.Shutdown(ShutdownMode.Cancel, s_short));
            Waiting.For(cancelling, "the second shutdown");
            Require(!cancelling.Result, "the threads have ended, though each has a task");
            RequireCancelled(tasks);
            Require(!draining.IsCompleted, "the first shutdown has ended, though each thread has a task");
            gate.Set();
            Waiting.For(draining, "the first shutdown");
            Require(draining.Result, "the threads have not ended");
        }

        public static void TimesOut(IWorkPool pool)
        {
            using var gate = new ManualResetEventSlim();
            Waiting.OccupyAll(pool, gate);
            Task<bool> shutdown = Task.Run(() => pool.Shutdown(ShutdownMode.Drain, s_short));
            Waiting.For(shutdown, "the shutdown");
            Require(!shutdown.Result, "the threads have ended, though each has a task");
            gate.Set();
            Require(
                pool.Shutdown(ShutdownMode.Drain, PoolContract.LostAfter), "the threads have not ended later either");
        }

        public static void ThreadsEnd(IWorkPool pool)
        {
            var threads = new ConcurrentDictionary<Thread, bool>();
            Task[] tasks = Submit(pool, () => threads.TryAdd(Thread.CurrentThread, true));
            Waiting.For(Task.WhenAll(tasks), "a task");
            Require(pool.Shutdown(ShutdownMode.Drain, PoolContract.LostAfter), "the threads have not ended");
            Require(!threads.IsEmpty, "no thread ran a task");
            // A pool may count a thread out just before it ends.
            Waiting.Until(
                () => !threads.Keys.Any(thread => thread.IsAlive), () => "a thread is alive after the shutdown");
            Require(pool.Shutdown(ShutdownMode.Cancel, PoolContract.LostAfter), "a second shutdown says otherwise");
            pool.Dispose();
        }

        private static Task[] Submit(IWorkPool pool, Action action) =>
            Enumerable.Range(0, Queued).Select(i => pool.RunAsync(action)).ToArray();

        private static bool Refuses(IWorkPool pool)
        {
            try
            {
                pool.Run(new Deed(() => { }));
                return false;
            }
            catch (ObjectDisposedException)
            {
                return true;
            }
        }

        private static void RequireCancelled(Task[] tasks)
        {
            Waiting.For(Task.WhenAll(tasks), "a cancelled task");
            int other = Array.FindIndex(tasks, task => !task.IsCanceled);
            Require(other < 0, $"task {other} ended as {(other < 0 ? default : tasks[other].Status)}");
        }
    }
}
