using System.Diagnostics;
using System.Linq;

namespace Perflab.ThreadPools.Catga
{
    /// <content>The thread that looks after the number of workers.</content>
    public sealed partial class CatgaPool
    {
        private void ScaleUntilShutdown()
        {
            var policy = new ScalingPolicy(_options);
            var clock = Stopwatch.StartNew();
            while (!_shutdownBegan.Wait(_options.ScalingCheckInterval))
            {
                CatgaWorker[] workers = _workers.ToArray();
                int waiting = _global.Count + workers.Sum(worker => worker.Local.Count);
                int change = policy.Change(
                    waiting, workers.Length, workers.Count(worker => worker.IsIdle), clock.Elapsed);
                AddWorkers(change);
                // A bag gives one away, not a certain one: whichever it is ends after the task at hand.
                if (change < 0 && _workers.TryTake(out CatgaWorker? leaving))
                {
                    leaving.Retire();
                    _retired.Add(leaving);
                }
            }
        }
    }
}
