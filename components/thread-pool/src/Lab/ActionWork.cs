using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// An action that somebody waits for: a struct that goes the way of all structs, and the promise in it.
    /// </summary>
    /// <remarks>
    /// The promise is that of an async method, one object; a TaskCompletionSource would be a second one. It treats an
    /// OperationCanceledException as an async method does: the task ends as cancelled.
    /// </remarks>
    internal struct ActionWork : IWork, ICancellableWork
    {
        private static readonly ContextCallback s_invoke = action => ((Action)action!)();

        private readonly Action _action;
        private readonly ExecutionContext? _context;
        private AsyncTaskMethodBuilder _promise;

        internal ActionWork(Action action)
        {
            _action = action;
            _context = ExecutionContext.Capture(); // null where the caller has suppressed the flow
            _promise = AsyncTaskMethodBuilder.Create();
        }

        /// <summary>To be called before the struct is copied: it is made by the first call.</summary>
        internal Task Promise() => _promise.Task;

        public void Execute()
        {
            try
            {
                if (_context == null)
                {
                    _action();
                }
                else
                {
                    ExecutionContext.Run(_context, s_invoke, _action);
                }
            }
            catch (Exception thrown)
            {
                _promise.SetException(thrown);
                return;
            }

            _promise.SetResult();
        }

        /// <summary>What follows an await runs on a thread of the process, not on the caller's: that one shuts the pool
        /// down and has a deadline.</summary>
        public void Cancel() =>
            ThreadPool.UnsafeQueueUserWorkItem(
                promise => promise.SetException(new OperationCanceledException("The pool was shut down.")),
                _promise,
                preferLocal: false);
    }
}
