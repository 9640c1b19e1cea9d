using System.Runtime.CompilerServices;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// A task on its way from the caller's stack to a worker's, in an object that is used again.
    /// </summary>
    /// <remarks>
    /// The box goes back to <see cref="BoxCache{TWork}"/> before the task runs: what the task itself queues then
    /// travels in the box that is still in the cache, and a task that throws or never ends costs no box. Boxes grow
    /// old, so a task with references costs the write barrier a card per box; a new object per task would cost the
    /// collection.
    /// </remarks>
    internal sealed class WorkBox<TWork> : WorkItem
        where TWork : struct, IWork
    {
        private TWork _work;

        internal static WorkBox<TWork> Of(in TWork work, PerThread caller)
        {
            WorkBox<TWork> box = caller.Boxes<TWork>().Rent();
            box._work = work;
            return box;
        }

        internal override void Execute(PerThread executor)
        {
            TWork work = Empty(executor);
            work.Execute();
        }

        internal override void Cancel(PerThread executor) => Empty(executor);

        private TWork Empty(PerThread executor)
        {
            TWork work = _work;
            if (RuntimeHelpers.IsReferenceOrContainsReferences<TWork>())
            {
                _work = default;
            }

            executor.Boxes<TWork>().Return(this);
            return work;
        }
    }
}
