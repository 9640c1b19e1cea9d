using System;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Peers
{
    /// <content>What waits in the queue.</content>
    public sealed partial class DedicatedPool
    {
        private abstract class Item
        {
            /// <summary>Throws nothing.</summary>
            public abstract void Execute();

            public abstract void Cancel();
        }

        private sealed class ForgottenItem<TWork> : Item
            where TWork : struct, IWork
        {
            private readonly DedicatedPool _pool;
            private TWork _work;

            public ForgottenItem(in TWork work, DedicatedPool pool) => (_work, _pool) = (work, pool);

            public override void Execute()
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

            public override void Cancel()
            {
            }
        }

        private sealed class AwaitedItem<TResult> : Item
        {
            private readonly TaskCompletionSource<TResult> _completion =
                new TaskCompletionSource<TResult>(TaskCreationOptions.RunContinuationsAsynchronously);

            private readonly Func<TResult> _function;

            public AwaitedItem(Func<TResult> function) => _function = function;

            public Task<TResult> Task => _completion.Task;

            public override void Execute()
            {
                try
                {
                    _completion.SetResult(_function());
                }
                catch (Exception thrown)
                {
                    _completion.SetException(thrown);
                }
            }

            public override void Cancel() => _completion.SetCanceled();
        }
    }
}
