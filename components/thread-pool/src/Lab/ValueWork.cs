using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// A function, and the promise of its result behind a <see cref="ValueTask{TResult}"/>; used again once the result
    /// was taken.
    /// </summary>
    /// <remarks>
    /// As many exist as were ever under way at once. Whoever takes the result twice is told so by the version, unless
    /// it comes after 65,536 other uses.
    /// </remarks>
    internal sealed class ValueWork<TResult> : WorkItem, IValueTaskSource<TResult>
    {
        private static readonly ConcurrentQueue<ValueWork<TResult>> s_free = new ConcurrentQueue<ValueWork<TResult>>();
        private static readonly ContextCallback s_complete = work => ((ValueWork<TResult>)work!).Complete();

        // mutable, and so not readonly
        private ManualResetValueTaskSourceCore<TResult> _promise;
        private Func<TResult>? _function;
        private ExecutionContext? _context;

        private ValueWork()
        {
        }

        /// <summary>To be taken before the work is queued: once it has ended, it may be other work.</summary>
        internal ValueTask<TResult> Promise => new ValueTask<TResult>(this, _promise.Version);

        public ValueTaskSourceStatus GetStatus(short token) => _promise.GetStatus(token);

        public void OnCompleted(
            Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _promise.OnCompleted(continuation!, state, token, flags);

        public TResult GetResult(short token)
        {
            bool isOver = _promise.GetStatus(token) != ValueTaskSourceStatus.Pending;
            try
            {
                return _promise.GetResult(token);
            }
            finally
            {
                if (isOver)
                {
                    Free();
                }
            }
        }

        internal static ValueWork<TResult> Of(Func<TResult> function)
        {
            if (!s_free.TryDequeue(out ValueWork<TResult>? work))
            {
                work = new ValueWork<TResult>();
            }

            work.QueuedAt = 0; // as in WorkBox
            work._function = function;
            work._context = ExecutionContext.Capture(); // null where the caller has suppressed the flow
            return work;
        }

        internal override void Execute(PerThread executor)
        {
            if (_context == null)
            {
                Complete();
            }
            else
            {
                ExecutionContext.Run(_context, s_complete, this);
            }
        }

        /// <summary>What follows an await runs on a thread of the process, not on the caller's: that one shuts the pool
        /// down and has a deadline.</summary>
        internal override void Cancel(PerThread executor) =>
            ThreadPool.UnsafeQueueUserWorkItem(
                work => work._promise.SetException(new OperationCanceledException("The pool was shut down.")),
                this,
                preferLocal: false);

        /// <summary>The last step hands this object on: nothing may follow it.</summary>
        private void Complete()
        {
            TResult result;
            try
            {
                result = _function!();
            }
            catch (Exception thrown)
            {
                _promise.SetException(thrown);
                return;
            }

            _promise.SetResult(result);
        }

        private void Free()
        {
            _function = null;
            _context = null;
            _promise.Reset();
            s_free.Enqueue(this);
        }
    }
}
