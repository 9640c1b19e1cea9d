using System;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>What waits in the queues: a closure, and what to tell if it is never called.</summary>
    internal sealed class CatgaWorkItem
    {
        private readonly Action _closure;
        private readonly ICancellable? _completion;

        /// <param name="closure">throws nothing</param>
        /// <param name="priority">is told to listeners; no queue reads it</param>
        /// <param name="completion">whom somebody waits for, if anybody does</param>
        public CatgaWorkItem(Action closure, WorkPriority priority, ICancellable? completion = null) =>
            (_closure, Priority, _completion) = (closure, priority, completion);

        /// <summary>Something that somebody waits for.</summary>
        internal interface ICancellable
        {
            void Cancel();
        }

        public WorkPriority Priority { get; }

        public void Execute() => _closure();

        public void Cancel() => _completion?.Cancel();

        /// <summary>The way of a result into a task.</summary>
        internal sealed class Completion<TResult> : TaskCompletionSource<TResult>, ICancellable
        {
            public Completion()
                : base(TaskCreationOptions.RunContinuationsAsynchronously)
            {
            }

            public void Cancel() => SetCanceled();
        }
    }
}
