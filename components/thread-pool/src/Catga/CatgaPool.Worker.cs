using System.Diagnostics.CodeAnalysis;

namespace Perflab.ThreadPools.Catga
{
    /// <content>The loop of a worker.</content>
    public sealed partial class CatgaPool
    {
        private void Loop(CatgaWorker worker)
        {
            while (!worker.IsRetired && !IsCancelled)
            {
                if (TryTake(worker, out CatgaWorkItem? item))
                {
                    worker.Work(item, _telemetry);
                }
                else if (IsShuttingDown)
                {
                    return;
                }
                else
                {
                    worker.Rest(_sleep);
                }
            }

            HandOver(worker);
        }

        private bool TryTake(CatgaWorker worker, [NotNullWhen(true)] out CatgaWorkItem? item) =>
            worker.Local.TryDequeue(out item)
            || _global.TryDequeue(out item)
            || (_options.EnableWorkStealing && TrySteal(worker, out item));

        /// <summary>
        /// Takes one task from the first worker of the bag that has one: all thieves try the same victim first.
        /// </summary>
        private bool TrySteal(CatgaWorker thief, [NotNullWhen(true)] out CatgaWorkItem? item)
        {
            foreach (CatgaWorker victim in _workers)
            {
                if (victim != thief && victim.Local.TryDequeue(out item))
                {
                    return true;
                }
            }

            item = null;
            return false;
        }

        /// <summary>
        /// What a worker that leaves has not done is for the others. Nobody but itself could add to it.
        /// </summary>
        private void HandOver(CatgaWorker worker)
        {
            while (worker.Local.TryDequeue(out CatgaWorkItem? item))
            {
                _global.Enqueue(item);
            }
        }
    }
}
