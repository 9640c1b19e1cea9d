namespace Perflab.ThreadPools.Lab
{
    /// <summary>What the queues hold: one task, whatever its type. See <see cref="WorkBox{TWork}"/>.</summary>
    internal abstract class WorkItem
    {
        /// <summary>When it was queued, in ticks of Stopwatch; 0 if nobody listened then.</summary>
        internal long QueuedAt;

        /// <summary>Runs the task on the calling thread. The item must not be used again: it may hold another task
        /// already.</summary>
        internal abstract void Execute(PerThread executor);

        /// <summary>Gives the task up: a caller that waits for it is told, see <see cref="ICancellableWork"/>. Then as
        /// Execute.</summary>
        internal abstract void Cancel(PerThread executor);
    }

    /// <summary>Work somebody may be waiting for, who has to be told if it will never be executed.</summary>
    internal interface ICancellableWork
    {
        void Cancel();
    }
}
