using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>As <see cref="ActionWork"/>, with a result.</summary>
    internal struct FunctionWork<TResult> : IWork, ICancellableWork
    {
        private readonly Func<TResult> _function;
        private readonly ExecutionContext? _context;
        private AsyncTaskMethodBuilder<TResult> _promise;

        internal FunctionWork(Func<TResult> function)
        {
            _function = function;
            _context = ExecutionContext.Capture();
            _promise = AsyncTaskMethodBuilder<TResult>.Create();
        }

        /// <inheritdoc cref="ActionWork.Promise"/>
        internal Task<TResult> Promise() => _promise.Task;

        public void Execute()
        {
            TResult result;
            try
            {
                result = _context == null ? _function() : Call.InContext(_context, _function);
            }
            catch (Exception thrown)
            {
                _promise.SetException(thrown);
                return;
            }

            _promise.SetResult(result);
        }

        /// <inheritdoc cref="ActionWork.Cancel"/>
        public void Cancel() =>
            ThreadPool.UnsafeQueueUserWorkItem(
                promise => promise.SetException(new OperationCanceledException("The pool was shut down.")),
                _promise,
                preferLocal: false);

        /// <summary>What a ContextCallback needs that has to give something back; one per thread, because it would be
        /// one per task.</summary>
        private sealed class Call
        {
            private static readonly ContextCallback s_invoke = call => ((Call)call!).Invoke();

            [ThreadStatic]
            private static Call? t_spare;

            private Func<TResult>? _function;
            private TResult _result = default!;

            internal static TResult InContext(ExecutionContext context, Func<TResult> function)
            {
                Call call = t_spare ?? new Call();
                t_spare = null; // the function may lead back to here on this thread, by a shutdown that drains
                call._function = function;
                try
                {
                    ExecutionContext.Run(context, s_invoke, call);
                    return call._result;
                }
                finally
                {
                    call._function = null;
                    call._result = default!;
                    t_spare = call;
                }
            }

            private void Invoke() => _result = _function!();
        }
    }
}
