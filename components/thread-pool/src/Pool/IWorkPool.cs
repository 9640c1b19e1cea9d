using System;
using System.Threading.Tasks;

namespace Perflab.ThreadPools
{
    /// <summary>A pool of threads that executes tasks.</summary>
    /// <remarks>
    /// <para><b>Threads.</b> Any thread may call any member at any time, those of the pool's own tasks included; only a
    /// shutdown must not be asked for by one of them.</para>
    /// <para><b>Delivery.</b> A task that was accepted is executed exactly once, unless the pool is shut down before
    /// with <see cref="ShutdownMode.Cancel"/>, or with too short a timeout: what still waits when that is over, a pool
    /// may give up as by Cancel, or execute later. Which, its own comment says. Nothing is promised about the
    /// order.</para>
    /// <para><b>Memory.</b> What a thread did before it submitted a task happens before the task, and the task happens
    /// before its <see cref="Task"/> is seen as completed.</para>
    /// <para><b>Failure.</b> A task that throws costs no other task anything, and no thread of the pool.</para>
    /// <para><b>Disposal</b> is a shutdown that drains and waits for <see cref="PoolDefaults.DisposeTimeout"/>,
    /// no longer.</para>
    /// </remarks>
    public interface IWorkPool : IDisposable
    {
        /// <summary>
        /// Raised on the pool's thread with what a task of <see cref="Run{TWork}"/> threw; there is no caller left to
        /// throw it at. Without a handler the exception is swallowed. Exceptions of <c>RunAsync</c> are in its task,
        /// and not here.
        /// </summary>
        event Action<Exception>? WorkFailed;

        /// <summary>
        /// How many threads the pool has at this moment for executing tasks; for one that shares its threads with the
        /// process, how many there are in all.
        /// </summary>
        int ThreadCount { get; }

        /// <summary>
        /// Submits a task and forgets it. <paramref name="work"/> is copied: what <c>Execute</c> changes in a struct is
        /// lost.
        /// </summary>
        /// <exception cref="ObjectDisposedException">The shutdown has begun; the task was not accepted.</exception>
        void Run<TWork>(in TWork work, WorkPriority priority = WorkPriority.Normal)
            where TWork : struct, IWork;

        /// <summary>Submits a task.</summary>
        /// <returns>
        /// Completes when the action has returned; faults with what it threw. An OperationCanceledException may end it
        /// as cancelled instead, as that of an async method; an await throws it either way.
        /// </returns>
        /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
        /// <exception cref="ObjectDisposedException">The shutdown has begun; the task was not accepted.</exception>
        Task RunAsync(Action action, WorkPriority priority = WorkPriority.Normal);

        /// <summary>Submits a task that has a result.</summary>
        /// <inheritdoc cref="RunAsync(Action, WorkPriority)"/>
        Task<TResult> RunAsync<TResult>(Func<TResult> function, WorkPriority priority = WorkPriority.Normal);

        /// <summary>
        /// Accepts no more tasks from now on, deals with those that wait, and ends the pool's threads. A later call
        /// waits for what the first one began; it can turn draining into cancelling, at once and whatever its timeout,
        /// not the other way. Awaited tasks that it cancels may be seen to end shortly after it returns.
        /// </summary>
        /// <remarks>
        /// A pool that shares its threads with the process can neither wait for its tasks nor take them back: it
        /// refuses new ones, returns false, and those that it accepted are executed after all.
        /// </remarks>
        /// <param name="mode">What becomes of the tasks that wait.</param>
        /// <param name="timeout">How long to wait for the threads to end. Tasks that still run then are left to
        /// themselves; for those that still wait see Delivery.</param>
        /// <returns>Whether all threads of the pool have ended.</returns>
        bool Shutdown(ShutdownMode mode, TimeSpan timeout);
    }
}
