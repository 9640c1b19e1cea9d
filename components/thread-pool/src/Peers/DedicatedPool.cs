using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Peers
{
    /// <summary>
    /// What one writes without a library: a <see cref="BlockingCollection{T}"/> and threads that take from it. It wakes
    /// a thread for each task (a SemaphoreSlim), and knows neither priorities nor stealing.
    /// </summary>
    public sealed partial class DedicatedPool : IWorkPool
    {
        private readonly BlockingCollection<Item> _queue = new BlockingCollection<Item>();
        private readonly Thread[] _threads;
        private volatile bool _cancelled;

        public DedicatedPool(int threads)
        {
            _threads = Enumerable.Range(1, threads)
                .Select(number => new Thread(Loop) { IsBackground = true, Name = $"dedicated {number}" })
                .ToArray();
            foreach (Thread thread in _threads)
            {
                thread.Start();
            }
        }

        public event Action<Exception>? WorkFailed;

        public int ThreadCount => _threads.Length;

        /// <inheritdoc/>
        public void Run<TWork>(in TWork work, WorkPriority priority = WorkPriority.Normal)
            where TWork : struct, IWork => Add(new ForgottenItem<TWork>(work, this));

        /// <inheritdoc/>
        public Task RunAsync(Action action, WorkPriority priority = WorkPriority.Normal)
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
                priority);
        }

        /// <inheritdoc/>
        public Task<TResult> RunAsync<TResult>(Func<TResult> function, WorkPriority priority = WorkPriority.Normal)
        {
            var item = new AwaitedItem<TResult>(function ?? throw new ArgumentNullException(nameof(function)));
            Add(item);
            return item.Task;
        }

        /// <inheritdoc/>
        public void Dispose() => Shutdown(ShutdownMode.Drain, PoolDefaults.DisposeTimeout);

        /// <inheritdoc/>
        public bool Shutdown(ShutdownMode mode, TimeSpan timeout)
        {
            var limit = new TimeLimit(timeout);
            if (mode == ShutdownMode.Cancel)
            {
                _cancelled = true; // never written back to false: another shutdown may cancel just now
            }

            _queue.CompleteAdding();
            while (_cancelled && _queue.TryTake(out Item? item))
            {
                item.Cancel();
            }

            return _threads.All(thread => thread.Join(limit.Left));
        }

        private void Add(Item item)
        {
            try
            {
                _queue.Add(item);
            }
            catch (InvalidOperationException)
            {
                throw new ObjectDisposedException(nameof(DedicatedPool));
            }
        }

        private void Loop()
        {
            foreach (Item item in _queue.GetConsumingEnumerable())
            {
                if (_cancelled)
                {
                    item.Cancel();
                }
                else
                {
                    item.Execute();
                }
            }
        }
    }
}
