namespace Perflab.ThreadPools.Lab
{
    /// <summary>What the queues hold beside Tasks: work that needs none, whatever its type. See
    /// <see cref="WorkBox{TWork}"/>.</summary>
    internal abstract class WorkItem
    {
        /// <summary>Runs the work on the calling thread. The item must not be used again: it may hold other work
        /// already.</summary>
        internal abstract void Execute(PerThread executor);

        /// <summary>Gives the work up; a caller that waits for it is told. Then as Execute.</summary>
        internal abstract void Cancel(PerThread executor);
    }
}
