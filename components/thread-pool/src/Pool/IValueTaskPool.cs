using System;
using System.Threading.Tasks;

namespace Perflab.ThreadPools
{
    /// <summary>A pool with a way to await a task that needs no <see cref="Task"/>.</summary>
    public interface IValueTaskPool : IWorkPool
    {
        /// <summary>
        /// As <see cref="IWorkPool.RunAsync{TResult}(Func{TResult}, WorkPriority)"/>; the result has to be awaited
        /// exactly once.
        /// </summary>
        ValueTask<TResult> RunValueAsync<TResult>(Func<TResult> function, WorkPriority priority = WorkPriority.Normal);
    }
}
