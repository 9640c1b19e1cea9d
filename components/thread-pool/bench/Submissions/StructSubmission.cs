namespace Perflab.ThreadPools.Measured
{
    /// <summary>Structs that are submitted and forgotten, and a counter that the last of them brings to zero.</summary>
    internal sealed class StructSubmission : Submission
    {
        private readonly IWorkPool _pool;
        private readonly IBatch _batch;
        private readonly Countdown _countdown = new Countdown();

        public StructSubmission(IWorkPool pool, IBatch batch) => (_pool, _batch) = (pool, batch);

        public override void Submit()
        {
            _countdown.Start(_batch.Count);
            for (int i = 0; i < _batch.Count; i++)
            {
                WorkPriority priority = _batch.Submitting(i);
                _pool.Run(new Numbered(this, i), priority);
            }
        }

        public override int AwaitAll() => _countdown.Wait(Limit);

        private readonly struct Numbered : IWork
        {
            private readonly StructSubmission _submission;
            private readonly int _index;

            public Numbered(StructSubmission submission, int index) => (_submission, _index) = (submission, index);

            public void Execute()
            {
                _submission._batch.Execute(_index);
                _submission._countdown.Signal();
            }
        }
    }
}
