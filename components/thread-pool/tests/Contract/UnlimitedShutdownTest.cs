using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;
using Perflab.ThreadPools.Measured;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>A shutdown without a limit, of pools whose threads are their own.</summary>
    public sealed class UnlimitedShutdownTest
    {
        [Theory]
        [InlineData("catga-before")]
        [InlineData("catga-after")]
        [InlineData("dedicated")]
        [InlineData("lab")]
        public void ItReturnsWhenTheThreadsHaveEndedAndNotBefore(string variant)
        {
            PoolDesign design = AllVariants.List().Single(one => one.Name == variant).Subject;
            using IWorkPool pool = design.CreatePool(new PoolSettings { Threads = 2 });
            using var gate = new ManualResetEventSlim();
            using var held = new ManualResetEventSlim();
            Task holder = pool.RunAsync(() =>
            {
                held.Set();
                gate.Wait();
            });
            Waiting.For(held, "the task that holds a thread");
            Task<bool> shutdown = Task.Run(() => pool.Shutdown(ShutdownMode.Drain, Timeout.InfiniteTimeSpan));
            Assert.False(shutdown.Wait(200), "a thread has a task, and the shutdown has returned");
            gate.Set();
            Waiting.For(shutdown, "the shutdown");
            Assert.True(shutdown.Result, "the threads have not ended");
            Waiting.For(holder, "the task that held a thread");
        }
    }
}
