using System;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>All tasks as one parallel loop, which the submitting thread takes part in.</summary>
    internal sealed class LoopSubmission : Submission
    {
        private readonly IParallelPool _loop;
        private readonly IBatch _batch;
        private readonly Action<int> _body;

        public LoopSubmission(IParallelPool loop, IBatch batch) =>
            (_loop, _batch, _body) = (loop, batch, index => batch.Execute(index));

        public override void Submit()
        {
            for (int i = 0; i < _batch.Count; i++)
            {
                _batch.Submitting(i);
            }

            _loop.ForEach(_batch.Count, _body);
        }

        public override int AwaitAll() => 0;
    }
}
