using System;
using System.Linq;
using System.Runtime.CompilerServices;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// A value task for each task, each with a continuation that takes its result, as UniTask.WhenAll has them.
    /// </summary>
    internal sealed class ValueTaskSubmission : Submission
    {
        private readonly IValueTaskPool _pool;
        private readonly IBatch _batch;
        private readonly Func<long>[] _functions;
        private readonly Action[] _continuations;
        private readonly ValueTaskAwaiter<long>[] _awaiters;
        private readonly Countdown _countdown = new Countdown();

        public ValueTaskSubmission(IValueTaskPool pool, IBatch batch)
        {
            (_pool, _batch) = (pool, batch);
            _functions = Enumerable.Range(0, batch.Count)
                .Select(index => new Func<long>(() => batch.Execute(index)))
                .ToArray();
            _continuations = Enumerable.Range(0, batch.Count).Select(index => new Action(() => End(index))).ToArray();
            _awaiters = new ValueTaskAwaiter<long>[batch.Count];
        }

        /// <summary>How many tasks have not ended.</summary>
        public int Left => _countdown.Left;

        public override void Submit()
        {
            _countdown.Start(_batch.Count);
            for (int i = 0; i < _functions.Length; i++)
            {
                WorkPriority priority = _batch.Submitting(i);
                _awaiters[i] = _pool.RunValueAsync(_functions[i], priority).GetAwaiter();
                _awaiters[i].UnsafeOnCompleted(_continuations[i]);
            }
        }

        public override int AwaitAll() => _countdown.Wait(Limit);

        private void End(int index)
        {
            _awaiters[index].GetResult();
            _countdown.Signal();
        }
    }
}
