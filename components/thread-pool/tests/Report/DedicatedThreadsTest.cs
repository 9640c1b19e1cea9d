using System;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;
using Perflab.ThreadPools.Contract;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>What threads of its own keep apart from .NET's pool, and what not.</summary>
    public sealed class DedicatedThreadsTest
    {
        [Fact]
        public void TasksThatBlockLeaveThePoolOfTheProcessAlone()
        {
            using var pool = new CatgaPool(new CatgaOptions { MinThreads = 4, EnableDynamicScaling = false });
            using var gate = new ManualResetEventSlim();
            Waiting.OccupyAll(pool, gate);
            Waiting.For(Task.Run(() => { }), "a task of the process's pool");
            gate.Set();
        }

        [Fact]
        public void ATaskRunsWhileThePoolOfTheProcessIsOccupied()
        {
            using var pool = new CatgaPool(new CatgaOptions { MinThreads = 1, EnableDynamicScaling = false });
            using var gate = new ManualResetEventSlim();
            using var executed = new ManualResetEventSlim();
            using var shared = new OccupiedSharedPool(gate);
            Task task = pool.RunAsync(executed.Set);
            Waiting.For(executed, "the task, which needs no thread of the process's pool,");
            gate.Set();
            Waiting.For(task, "the task's end");
        }

        [Fact]
        public void WhoAwaitsATaskContinuesOnThePoolOfTheProcess()
        {
            using var pool = new CatgaPool(new CatgaOptions { MinThreads = 1, EnableDynamicScaling = false });
            using var gate = new ManualResetEventSlim();
            using var awaited = new ManualResetEventSlim();
            using var executed = new ManualResetEventSlim();
            using var shared = new OccupiedSharedPool(gate);
            Task<bool> awaiting = Continued(pool.RunAsync(() =>
            {
                awaited.Wait();
                executed.Set();
            }));
            // Not before, because nobody waits for a task that has ended.
            awaited.Set();
            Waiting.For(executed, "the task, which needs no thread of the process's pool,");
            Assert.False(awaiting.Wait(200), "it continued although the process's pool had no thread left");
            gate.Set();
            Waiting.For(awaiting, "what comes after the task");
            Assert.True(awaiting.Result, "it continued on another thread than one of the process's pool");
        }

        private static async Task<bool> Continued(Task task)
        {
            await task.ConfigureAwait(false);
            return Thread.CurrentThread.IsThreadPoolThread;
        }

        /// <summary>The pool of the process with all of its threads held, and no way to have more.</summary>
        private sealed class OccupiedSharedPool : IDisposable
        {
            private readonly (int Workers, int Ports) _min;
            private readonly (int Workers, int Ports) _max;

            public OccupiedSharedPool(ManualResetEventSlim gate)
            {
                ThreadPool.GetMinThreads(out _min.Workers, out _min.Ports);
                ThreadPool.GetMaxThreads(out _max.Workers, out _max.Ports);
                int threads = Math.Max(_min.Workers, Environment.ProcessorCount);
                Assert.True(ThreadPool.SetMaxThreads(threads, _max.Ports), "the runtime refused a smaller pool");
                int held = 0;
                for (int i = 0; i < threads; i++)
                {
                    Task.Run(() =>
                    {
                        Interlocked.Increment(ref held);
                        gate.Wait();
                    });
                }

                Waiting.Until(() => Volatile.Read(ref held) == threads, () => $"{held} of {threads} threads are held");
            }

            public void Dispose() => ThreadPool.SetMaxThreads(_max.Workers, _max.Ports);
        }
    }
}
