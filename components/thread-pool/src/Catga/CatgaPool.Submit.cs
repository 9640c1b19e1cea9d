using System;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Catga
{
    /// <content>The ways into the pool.</content>
    public sealed partial class CatgaPool
    {
        /// <inheritdoc/>
        public void Run<TWork>(in TWork work, WorkPriority priority = WorkPriority.Normal)
            where TWork : struct, IWork
        {
            TWork copy = work;
            Enqueue(new CatgaWorkItem(
                () =>
                {
                    try
                    {
                        copy.Execute();
                    }
                    catch (Exception thrown)
                    {
                        WorkFailed?.Invoke(thrown);
                    }
                },
                priority));
        }

        /// <inheritdoc/>
        public Task RunAsync(Action action, WorkPriority priority = WorkPriority.Normal)
        {
            if (action == null)
            {
                throw new ArgumentNullException(nameof(action));
            }

            var completion = new CatgaWorkItem.Completion<bool>();
            Enqueue(new CatgaWorkItem(
                () =>
                {
                    try
                    {
                        action();
                        completion.SetResult(true);
                    }
                    catch (Exception thrown)
                    {
                        completion.SetException(thrown);
                    }
                },
                priority,
                completion));
            return completion.Task;
        }

        /// <inheritdoc/>
        public Task<TResult> RunAsync<TResult>(Func<TResult> function, WorkPriority priority = WorkPriority.Normal)
        {
            if (function == null)
            {
                throw new ArgumentNullException(nameof(function));
            }

            var completion = new CatgaWorkItem.Completion<TResult>();
            Enqueue(new CatgaWorkItem(
                () =>
                {
                    try
                    {
                        completion.SetResult(function());
                    }
                    catch (Exception thrown)
                    {
                        completion.SetException(thrown);
                    }
                },
                priority,
                completion));
            return completion.Task;
        }

        /// <inheritdoc/>
        /// <remarks>
        /// The completion comes from a pool, as a UniTask's does; the closure and the work item do not.
        /// </remarks>
        public ValueTask<TResult> RunValueAsync<TResult>(
            Func<TResult> function, WorkPriority priority = WorkPriority.Normal)
        {
            if (function == null)
            {
                throw new ArgumentNullException(nameof(function));
            }

            PooledCompletion<TResult> completion = PooledCompletion<TResult>.Rent();
            // Taken now: once the task has ended, the completion may already serve another one.
            var task = new ValueTask<TResult>(completion, completion.Version);
            Enqueue(new CatgaWorkItem(
                () =>
                {
                    try
                    {
                        completion.SetResult(function());
                    }
                    catch (Exception thrown)
                    {
                        completion.SetException(thrown);
                    }
                },
                priority,
                completion));
            return task;
        }

        private void Enqueue(CatgaWorkItem item)
        {
            if (IsShuttingDown)
            {
                throw new ObjectDisposedException(nameof(CatgaPool));
            }

            _telemetry.Queued(item);
            (OwnWorker()?.Local ?? _global).Enqueue(item);
            SettleIfTooLate();
        }

        /// <summary>The worker whose thread is the calling one, found by looking at one after the other.</summary>
        private CatgaWorker? OwnWorker()
        {
            int caller = Thread.CurrentThread.ManagedThreadId;
            foreach (CatgaWorker worker in _workers)
            {
                if (worker.Thread?.ManagedThreadId == caller)
                {
                    return worker;
                }
            }

            return null;
        }
    }
}
