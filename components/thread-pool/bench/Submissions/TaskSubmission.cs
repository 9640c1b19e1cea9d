using System;
using System.Linq;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>A <see cref="Task"/> for each task, all awaited together, as in the report's benchmark.</summary>
    internal sealed class TaskSubmission : Submission
    {
        private readonly IWorkPool _pool;
        private readonly IBatch _batch;
        private readonly Action[] _actions;
        private readonly Task[] _tasks;

        public TaskSubmission(IWorkPool pool, IBatch batch)
        {
            (_pool, _batch) = (pool, batch);
            _actions = Enumerable.Range(0, batch.Count)
                .Select(index => new Action(() => batch.Execute(index)))
                .ToArray();
            _tasks = new Task[batch.Count];
        }

        public override void Submit()
        {
            for (int i = 0; i < _tasks.Length; i++)
            {
                WorkPriority priority = _batch.Submitting(i);
                _tasks[i] = _pool.RunAsync(_actions[i], priority);
            }
        }

        public override int AwaitAll() =>
            Task.WhenAll(_tasks).Wait(Limit) ? 0 : _tasks.Count(task => !task.IsCompleted);
    }
}
