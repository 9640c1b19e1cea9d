using System;
using System.Collections.Concurrent;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>
    /// A completion that is used again and again, as UniTask's are. Whoever awaits continues on the worker's thread.
    /// </summary>
    internal sealed class PooledCompletion<TResult> : IValueTaskSource<TResult>, CatgaWorkItem.ICancellable
    {
        private static readonly ConcurrentQueue<PooledCompletion<TResult>> s_pool =
            new ConcurrentQueue<PooledCompletion<TResult>>();

        // Mutable, and so not readonly: on a copy nobody would be told of the result.
        private ManualResetValueTaskSourceCore<TResult> _core;

        private PooledCompletion()
        {
        }

        public short Version => _core.Version;

        public static PooledCompletion<TResult> Rent() =>
            s_pool.TryDequeue(out PooledCompletion<TResult>? completion)
                ? completion
                : new PooledCompletion<TResult>();

        public void SetResult(TResult result) => _core.SetResult(result);

        public void SetException(Exception thrown) => _core.SetException(thrown);

        public void Cancel() => _core.SetException(new TaskCanceledException());

        public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

        public void OnCompleted(
            Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _core.OnCompleted(continuation!, state, token, flags);

        /// <summary>The end of the await, and of this use of the completion.</summary>
        public TResult GetResult(short token)
        {
            try
            {
                return _core.GetResult(token);
            }
            finally
            {
                _core.Reset();
                s_pool.Enqueue(this);
            }
        }
    }
}
