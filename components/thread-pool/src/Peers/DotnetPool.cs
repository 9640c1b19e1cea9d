using System;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Peers
{
    /// <summary>
    /// .NET's own pool, which the process shares: <c>ThreadPool.UnsafeQueueUserWorkItem</c> for tasks to forget,
    /// <c>Task.Run</c> for those with an end that somebody awaits. It steals work too: tasks submitted by a task go
    /// onto the deque of its thread.
    /// </summary>
    /// <remarks>
    /// Nothing is counted here, so that the peer is measured and not its wrapper. It has no priorities.
    /// </remarks>
    public sealed class DotnetPool : IWorkPool
    {
        private volatile bool _closed;

        /// <param name="threads">how many threads the process's pool is to have; null leaves that to the
        /// runtime</param>
        public DotnetPool(int? threads)
        {
            if (threads is int count)
            {
                // In this order, because a maximum below the minimum is refused.
                ThreadPool.GetMinThreads(out _, out int completionPorts);
                ThreadPool.SetMinThreads(1, completionPorts);
                ThreadPool.SetMaxThreads(count, Math.Max(count, completionPorts));
                ThreadPool.SetMinThreads(count, completionPorts);
            }
        }

        public event Action<Exception>? WorkFailed;

        public int ThreadCount => ThreadPool.ThreadCount;

        /// <inheritdoc/>
        public void Run<TWork>(in TWork work, WorkPriority priority = WorkPriority.Normal)
            where TWork : struct, IWork
        {
            ThrowIfClosed();
            ThreadPool.UnsafeQueueUserWorkItem(new Item<TWork>(work, this), preferLocal: true);
        }

        /// <inheritdoc/>
        public Task RunAsync(Action action, WorkPriority priority = WorkPriority.Normal)
        {
            ThrowIfClosed();
            return Task.Run(action);
        }

        /// <inheritdoc/>
        public Task<TResult> RunAsync<TResult>(Func<TResult> function, WorkPriority priority = WorkPriority.Normal)
        {
            ThrowIfClosed();
            return Task.Run(function);
        }

        /// <inheritdoc/>
        public void Dispose() => _closed = true;

        /// <inheritdoc/>
        public bool Shutdown(ShutdownMode mode, TimeSpan timeout)
        {
            _closed = true;
            return false;
        }

        private void ThrowIfClosed()
        {
            if (_closed)
            {
                throw new ObjectDisposedException(nameof(DotnetPool));
            }
        }

        private sealed class Item<TWork> : IThreadPoolWorkItem
            where TWork : struct, IWork
        {
            private readonly DotnetPool _pool;
            private TWork _work;

            public Item(in TWork work, DotnetPool pool) => (_work, _pool) = (work, pool);

            public void Execute()
            {
                try
                {
                    _work.Execute();
                }
                catch (Exception thrown)
                {
                    _pool.WorkFailed?.Invoke(thrown);
                }
            }
        }
    }
}
