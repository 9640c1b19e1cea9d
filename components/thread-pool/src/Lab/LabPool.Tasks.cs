using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Lab
{
    /// <remarks>
    /// <b>Tasks</b> are work items themselves: the pool is their scheduler.
    /// <code>
    ///   a worker waits for a Task that nobody has begun     it runs it at once, so that tasks that wait for tasks need
    ///                                                       no more threads than there are; the queue still holds the
    ///                                                       Task, and who takes it out finds it done
    ///   the pool is shut down with Cancel                   the token that RunAsync gives its Tasks is cancelled, and
    ///                                                       they end without being run
    /// </code>
    /// <para>The token is all that can end a Task as cancelled. It costs an object of 80 bytes beside the Task.</para>
    /// </remarks>
    public sealed partial class LabPool
    {
        /// <summary>What a task starts or awaits itself goes to .NET's pool as usual, and does not need a thread of this
        /// pool while the task blocks one.</summary>
        private const TaskCreationOptions Synchronous =
            TaskCreationOptions.DenyChildAttach | TaskCreationOptions.HideScheduler;

        /// <summary>Cancelled when what waits is given up.</summary>
        private readonly CancellationTokenSource _givenUp = new CancellationTokenSource();

        private readonly PoolScheduler _scheduler;

        /// <inheritdoc/>
        public Task RunAsync(Action action, WorkPriority priority = WorkPriority.Normal)
        {
            _ = action ?? throw new ArgumentNullException(nameof(action));
            BeginSubmitting(priority);
            try
            {
                return Task.Factory.StartNew(action, _givenUp.Token, Synchronous, _scheduler);
            }
            catch (TaskSchedulerException refused) when (refused.InnerException is ObjectDisposedException)
            {
                throw NewDisposed();
            }
        }

        /// <inheritdoc/>
        public Task<TResult> RunAsync<TResult>(Func<TResult> function, WorkPriority priority = WorkPriority.Normal)
        {
            _ = function ?? throw new ArgumentNullException(nameof(function));
            BeginSubmitting(priority);
            try
            {
                return Task.Factory.StartNew(function, _givenUp.Token, Synchronous, _scheduler);
            }
            catch (TaskSchedulerException refused) when (refused.InnerException is ObjectDisposedException)
            {
                throw NewDisposed();
            }
        }

        /// <summary>The next Task that the scheduler is given by this thread has the priority: a TaskScheduler is told
        /// none.</summary>
        private void BeginSubmitting(WorkPriority priority)
        {
            QueueOf(priority); // refused here and not inside StartNew, which would wrap the exception
            ThrowIfClosing();
            PerThread.Current.Submitting = priority;
        }

        private sealed class PoolScheduler : TaskScheduler
        {
            private readonly LabPool _pool;

            internal PoolScheduler(LabPool pool) => _pool = pool;

            public override int MaximumConcurrencyLevel => _pool._options.MaxThreads;

            /// <summary>By the pool's worker that took it out of a queue.</summary>
            internal void Execute(Task task) => TryExecuteTask(task);

            /// <summary>On a thread of .NET's pool, so that what follows the Task does not run on the caller's: that
            /// one may be shutting the pool down, and have a deadline.</summary>
            internal void ExecuteElsewhere(Task task) =>
                ThreadPool.UnsafeQueueUserWorkItem(
                    one => one.Scheduler.TryExecuteTask(one.Task), (Scheduler: this, Task: task), preferLocal: false);

            protected override void QueueTask(Task task)
            {
                PerThread caller = PerThread.Current;
                _pool.Enqueue(task, caller.Submitting, caller);
            }

            /// <summary>Only on a thread of the pool: a caller from outside keeps its own thread.</summary>
            protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
                PerThread.Current.Worker?.Pool == _pool && TryExecuteTask(task);

            /// <summary>For debuggers, which show the queues anyway.</summary>
            protected override IEnumerable<Task> GetScheduledTasks() => throw new NotSupportedException();
        }
    }
}
