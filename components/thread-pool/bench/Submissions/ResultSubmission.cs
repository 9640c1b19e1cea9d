using System;
using System.Linq;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>A <see cref="Task{TResult}"/> for each task, all awaited together.</summary>
    internal sealed class ResultSubmission : Submission
    {
        private readonly IWorkPool _pool;
        private readonly IBatch _batch;
        private readonly Func<long>[] _functions;
        private readonly Task<long>[] _tasks;

        public ResultSubmission(IWorkPool pool, IBatch batch)
        {
            (_pool, _batch) = (pool, batch);
            _functions = Enumerable.Range(0, batch.Count)
                .Select(index => new Func<long>(() => batch.Execute(index)))
                .ToArray();
            _tasks = new Task<long>[batch.Count];
        }

        public override void Submit()
        {
            for (int i = 0; i < _tasks.Length; i++)
            {
                WorkPriority priority = _batch.Submitting(i);
                _tasks[i] = _pool.RunAsync(_functions[i], priority);
            }
        }

        public override int AwaitAll() =>
            Task.WhenAll(_tasks).Wait(Limit) ? 0 : _tasks.Count(task => !task.IsCompleted);
    }
}
