using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;
using Perflab.ThreadPools.Contract;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>Which queue a task of Catga's pool waits in, and who takes it from there.</summary>
    public sealed class CatgaQueuesTest
    {
        [Fact]
        public void TasksFromOutsideNeedNoStealingBecauseTheyShareOneQueue()
        {
            using var pool = TwoWorkers(stealing: false);
            using var gate = new ManualResetEventSlim();
            using var held = new ManualResetEventSlim();
            Task holder = pool.RunAsync(() =>
            {
                held.Set();
                gate.Wait();
            });
            Waiting.For(held, "the task that holds a worker");
            // A queue per processor would keep half of them for the worker that is held.
            Waiting.For(
                Task.WhenAll(Enumerable.Range(0, 100).Select(i => pool.RunAsync(() => { }))), "a task from outside");
            gate.Set();
            Waiting.For(holder, "the task that held a worker");
        }

        [Fact]
        public void AWorkerTakesItsOldestTaskFirst()
        {
            using var pool = new CatgaPool(new CatgaOptions { MinThreads = 1, EnableDynamicScaling = false });
            var order = new ConcurrentQueue<int>();
            Task<Task[]> parent = pool.RunAsync(() =>
                Enumerable.Range(0, 5).Select(number => pool.RunAsync(() => order.Enqueue(number))).ToArray());
            Waiting.For(Task.WhenAll(parent.Result), "a task of the task");
            // The youngest would be the one whose data are still in the processor's cache.
            Assert.Equal(Enumerable.Range(0, 5), order);
        }

        private static CatgaPool TwoWorkers(bool stealing) => new CatgaPool(new CatgaOptions
        {
            MinThreads = 2,
            EnableDynamicScaling = false,
            EnableWorkStealing = stealing,
        });
    }
}
