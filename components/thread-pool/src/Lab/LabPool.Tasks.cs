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
    ///   a Task comes by Scheduler after the shutdown began  runs on .NET's pool: the rest of an async function must
    ///                                                       not be lost
    /// </code>
    /// <para>The token is all that can end a Task as cancelled. It costs an object of 80 bytes beside the Task.</para>
    /// </remarks>
    public sealed partial class LabPool
    {
        /// <summary>Of a function that returns a value: what it starts or awaits itself goes to .NET's pool as usual,
        /// and does not need a thread of this pool while the function blocks one.</summary>
        private const TaskCreationOptions Synchronous =
            TaskCreationOptions.DenyChildAttach | TaskCreationOptions.HideScheduler;

        /// <summary>Cancelled when what waits is given up.</summary>
        private readonly CancellationTokenSource _givenUp = new CancellationTokenSource();

        private readonly PoolScheduler _scheduler;

        /// <summary>The pool for Tasks that are made elsewhere, and for continuations; their priority is Normal.
        /// </summary>
        /// <remarks>A shutdown that cancels cannot cancel these; they run on .NET's pool then.</remarks>
        public TaskScheduler Scheduler => _scheduler;

        /// <inheritdoc/>
        public Task RunAsync(Action action, WorkPriority priority = WorkPriority.Normal)
        {
            if (action == null)
            {
                throw new ArgumentNullException(nameof(action));
            }

            PerThread caller = BeginSubmitting(priority);
            try
            {
                return Task.Factory.StartNew(action, _givenUp.Token, Synchronous, _scheduler);
            }
            catch (TaskSchedulerException refused) when (refused.InnerException is ObjectDisposedException)
            {
                throw NewDisposed();
            }
            finally
            {
                caller.Submitting = null;
            }
        }

        /// <inheritdoc/>
        public Task<TResult> RunAsync<TResult>(Func<TResult> function, WorkPriority priority = WorkPriority.Normal) =>
            Start(function, priority, CancellationToken.None, Synchronous);

        /// <summary>Submits a task that a token can cancel while it waits; what it does about the token once it runs is
        /// its own affair.</summary>
        /// <returns>As without a token; ends as cancelled if the token is when the task's turn has come, or if it
        /// throws the token's OperationCanceledException.</returns>
        /// <inheritdoc cref="RunAsync(Action, WorkPriority)"/>
        public Task RunAsync(Action action, WorkPriority priority, CancellationToken cancellation)
        {
            if (action == null)
            {
                throw new ArgumentNullException(nameof(action));
            }

            return RunAsync(
                () =>
                {
                    action();
                    return true;
                },
                priority,
                cancellation);
        }

        /// <inheritdoc cref="RunAsync(Action, WorkPriority, CancellationToken)"/>
        public Task<TResult> RunAsync<TResult>(
            Func<TResult> function, WorkPriority priority, CancellationToken cancellation) =>
            Start(function, priority, cancellation, Synchronous);

        /// <summary>
        /// Submits an async function. What follows its awaits runs on the pool's threads, too, with Normal priority;
        /// after a shutdown on .NET's pool.
        /// </summary>
        /// <returns>Ends as the task of the function.</returns>
        /// <inheritdoc cref="RunAsync(Action, WorkPriority, CancellationToken)"/>
        public Task RunAsync(Func<Task> function, WorkPriority priority = WorkPriority.Normal) =>
            RunAsync(function, priority, CancellationToken.None);

        /// <inheritdoc cref="RunAsync(Func{Task}, WorkPriority)"/>
        public Task<TResult> RunAsync<TResult>(
            Func<Task<TResult>> function, WorkPriority priority = WorkPriority.Normal) =>
            RunAsync(function, priority, CancellationToken.None);

        /// <inheritdoc cref="RunAsync(Func{Task}, WorkPriority)"/>
        public Task RunAsync(Func<Task> function, WorkPriority priority, CancellationToken cancellation) =>
            Start(function, priority, cancellation, TaskCreationOptions.DenyChildAttach).Unwrap();

        /// <inheritdoc cref="RunAsync(Func{Task}, WorkPriority)"/>
        public Task<TResult> RunAsync<TResult>(
            Func<Task<TResult>> function, WorkPriority priority, CancellationToken cancellation) =>
            Start(function, priority, cancellation, TaskCreationOptions.DenyChildAttach).Unwrap();

        /// <inheritdoc/>
        /// <remarks>Allocates nothing, once as many have been under way at once as are now.</remarks>
        public ValueTask<TResult> RunValueAsync<TResult>(
            Func<TResult> function, WorkPriority priority = WorkPriority.Normal)
        {
            ValueWork<TResult> work =
                ValueWork<TResult>.Of(function ?? throw new ArgumentNullException(nameof(function)));
            ValueTask<TResult> promise = work.Promise;
            Enqueue(work, priority, PerThread.Current);
            return promise;
        }

        private Task<TResult> Start<TResult>(
            Func<TResult> function, WorkPriority priority, CancellationToken cancellation, TaskCreationOptions options)
        {
            if (function == null)
            {
                throw new ArgumentNullException(nameof(function));
            }

            Cancellable<TResult>? work =
                cancellation.CanBeCanceled ? new Cancellable<TResult>(function, cancellation) : null;
            PerThread caller = BeginSubmitting(priority);
            try
            {
                return work == null
                    ? Task.Factory.StartNew(function, _givenUp.Token, options, _scheduler)
                    : Task.Factory.StartNew(Cancellable<TResult>.Body, work, work.Token, options, _scheduler);
            }
            catch (TaskSchedulerException refused) when (refused.InnerException is ObjectDisposedException)
            {
                throw NewDisposed();
            }
            finally
            {
                caller.Submitting = null;
            }
        }

        /// <summary>The next Task that the scheduler is given by this thread is one of RunAsync, until
        /// <see cref="PerThread.Submitting"/> is null again: a TaskScheduler is told no priority.</summary>
        private PerThread BeginSubmitting(WorkPriority priority)
        {
            QueueOf(priority); // refused here and not inside StartNew, which would wrap the exception
            ThrowIfClosing();
            PerThread caller = PerThread.Current;
            caller.Submitting = priority;
            return caller;
        }

        /// <summary>What a Task's AsyncState is if its caller's token can cancel it, and the pool as well.</summary>
        /// <remarks>
        /// <para>A Task has one token. If that were of a linked source, each task would be registered with the pool's
        /// only source, under its lock, and need a continuation to be taken out again. But a Task that waits asks its
        /// token only when its turn has come: so who has its turn asks both, and cancels a source of this task alone,
        /// which has no timer, no registrations and so nothing to dispose.</para>
        /// <para>Two may have its turn at once, a worker that waits for it and one that took it out of a queue: one
        /// runs it, and a source that is cancelled meanwhile, or twice, changes nothing.</para>
        /// </remarks>
        private abstract class Cancellable
        {
            private readonly CancellationTokenSource _either = new CancellationTokenSource();

            protected Cancellable(CancellationToken callers) => Callers = callers;

            internal CancellationToken Token => _either.Token;

            protected CancellationToken Callers { get; }

            /// <summary>Before the Task is run: it ends as cancelled then, without being run.</summary>
            internal void CancelIf(bool givenUp)
            {
                if (givenUp || Callers.IsCancellationRequested)
                {
                    _either.Cancel();
                }
            }
        }

        private sealed class Cancellable<TResult> : Cancellable
        {
            internal static readonly Func<object?, TResult> Body = work => ((Cancellable<TResult>)work!).Run();

            private readonly Func<TResult> _function;

            internal Cancellable(Func<TResult> function, CancellationToken callers)
                : base(callers) => _function = function;

            private TResult Run()
            {
                try
                {
                    return _function();
                }
                catch (OperationCanceledException thrown)
                    when (thrown.CancellationToken == Callers && Callers.IsCancellationRequested)
                {
                    CancelIf(givenUp: false); // or the exception would be a failure: the Task's token is not cancelled
                    throw new OperationCanceledException(thrown.Message, thrown, Token);
                }
            }
        }

        private sealed class PoolScheduler : TaskScheduler
        {
            private readonly LabPool _pool;

            internal PoolScheduler(LabPool pool) => _pool = pool;

            public override int MaximumConcurrencyLevel => _pool._options.MaxThreads;

            /// <summary>By the pool's worker that took it out of a queue.</summary>
            internal void Execute(Task task) => TryExecute(task);

            /// <summary>On a thread of .NET's pool, so that what follows the Task does not run on the caller's: that
            /// one may be shutting the pool down, and have a deadline.</summary>
            internal void ExecuteElsewhere(Task task) =>
                ThreadPool.UnsafeQueueUserWorkItem(
                    one => one.Scheduler.TryExecute(one.Task), (Scheduler: this, Task: task), preferLocal: false);

            protected override void QueueTask(Task task)
            {
                PerThread caller = PerThread.Current;
                if (caller.Submitting is WorkPriority priority)
                {
                    _pool.Enqueue(task, priority, caller);
                }
                else if (!_pool.TryEnqueue(task, WorkPriority.Normal, caller))
                {
                    ExecuteElsewhere(task);
                }
            }

            /// <summary>Only on a thread of the pool: a caller from outside keeps its own thread.</summary>
            protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
                PerThread.Current.Worker?.Pool == _pool && TryExecute(task);

            /// <summary>For debuggers, which show the queues anyway.</summary>
            protected override IEnumerable<Task> GetScheduledTasks() => throw new NotSupportedException();

            private bool TryExecute(Task task)
            {
                (task.AsyncState as Cancellable)?.CancelIf(_pool.IsGivingUp);
                return TryExecuteTask(task);
            }
        }
    }
}
