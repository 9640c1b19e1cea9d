using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.RoslynKernel.Execution
{
    /// <summary>
    /// Keeps what follows an <c>await</c> in a cell on the cell's own thread. An interrupt stops that thread, and with it a
    /// loop that awaits: nothing takes up what is posted here afterwards.
    /// </summary>
    internal sealed class CellThread : SynchronizationContext
    {
        private readonly BlockingCollection<(SendOrPostCallback Callback, object? State)> _posted =
            new BlockingCollection<(SendOrPostCallback, object?)>();

        /// <summary>Runs a cell's code to its end on the present thread.</summary>
        public static object? Run(Func<Task<object?>> code)
        {
            var before = Current;
            var thread = new CellThread();
            SetSynchronizationContext(thread);
            try
            {
                var task = code();
                // The continuation is for a task that ends elsewhere, as after ConfigureAwait(false).
                task.ContinueWith(
                    _ => thread._posted.CompleteAdding(),
                    CancellationToken.None,
                    TaskContinuationOptions.ExecuteSynchronously,
                    TaskScheduler.Default);
                foreach (var (callback, state) in thread._posted.GetConsumingEnumerable())
                {
                    callback(state);
                }
                return task.GetAwaiter().GetResult();
            }
            finally
            {
                SetSynchronizationContext(before);
            }
        }

        public override void Post(SendOrPostCallback callback, object? state)
        {
            try
            {
                _posted.Add((callback, state));
            }
            catch (InvalidOperationException)
            {
                // The cell has ended and left a task behind, which goes on like any other.
                ThreadPool.QueueUserWorkItem(_ => callback(state));
            }
        }

        public override void Send(SendOrPostCallback callback, object? state) => callback(state);

        public override SynchronizationContext CreateCopy() => this;
    }
}
