using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>One batch after the other, with a gap before each in which an idle pool falls asleep.</summary>
    internal sealed class BatchExperiment : IExperiment
    {
        private readonly IBatch _batch;
        private readonly Checks _checks;
        private readonly bool _stopsAtSubmission;
        private readonly MeteredPool _metered;
        private readonly Submission _submission;

        /// <param name="design">the variant</param>
        /// <param name="setting">parameters and checks</param>
        /// <param name="batch">the tasks</param>
        /// <param name="path"><c>task</c>, <c>result</c> or <c>struct</c></param>
        /// <param name="stopsAtSubmission">whether the clock stops once all is submitted; the end is awaited all the
        /// same</param>
        public BatchExperiment(PoolDesign design, Setting setting, IBatch batch, string path, bool stopsAtSubmission)
        {
            (_batch, _checks) = (batch, setting.Checks);
            _stopsAtSubmission = stopsAtSubmission || design.Await == PoolDesign.Awaiting.NotMeasured;
            _metered = new MeteredPool(design, setting);
            PoolSettings settings = CommonParameters.Settings(setting.Parameters);
            _submission = Submission.For(design, _metered.PoolIfAny, settings, path, batch);
        }

        public void Repeat(Sample sample)
        {
            _metered.Begin();
            long startNs = Clock.NowNs;

            _submission.Submit();
            long submittedNs = Clock.NowNs;
            int missing = _stopsAtSubmission ? 0 : _submission.AwaitAll();
            long endNs = Clock.NowNs;

            _metered.End(sample);
            missing += _stopsAtSubmission ? _submission.AwaitAll() : 0;
            _metered.RequireAllEnded(missing, _batch.Count);
            sample.Count("submitting_ns", submittedNs - startNs);
            sample.Count("thread_ns", (_metered.PoolIfAny?.ThreadCount ?? 0) * (endNs - startNs));
            _batch.Record(startNs, endNs, sample, _checks);
        }

        public void Dispose() => _metered.Dispose();
    }
}
