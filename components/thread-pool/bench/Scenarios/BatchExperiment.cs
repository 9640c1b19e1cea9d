using System;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>One batch after the other, with a gap before each in which an idle pool falls asleep.</summary>
    internal sealed class BatchExperiment : IExperiment
    {
        private const long NsPerUs = 1_000;

        private readonly IBatch _batch;
        private readonly Checks _checks;
        private readonly long _gapNs;
        private readonly bool _stopsAtSubmission;
        private readonly IDisposable? _listener;
        private readonly IWorkPool? _pool;
        private readonly Submission _submission;
        private readonly Rest _rest;
        private readonly UsageMeter _usage = new UsageMeter();

        /// <param name="design">the variant</param>
        /// <param name="setting">parameters and checks</param>
        /// <param name="batch">the tasks</param>
        /// <param name="path"><c>task</c>, <c>result</c> or <c>struct</c></param>
        /// <param name="stopsAtSubmission">whether the clock stops once all is submitted; the end is awaited all the
        /// same</param>
        public BatchExperiment(PoolDesign design, Setting setting, IBatch batch, string path, bool stopsAtSubmission)
        {
            (_batch, _checks) = (batch, setting.Checks);
            _gapNs = setting.Parameters.Int("gap-us") * NsPerUs;
            _stopsAtSubmission = stopsAtSubmission || design.Await == PoolDesign.Awaiting.NotMeasured;
            _listener = Knobs.Listener(setting.Parameters);
            PoolSettings settings = Knobs.Settings(setting.Parameters);
            _pool = design.IsLoop ? null : design.CreatePool(settings);
            _submission = Submission.For(design, _pool, settings, path, batch);
            _rest = new Rest(_pool);
        }

        public void Repeat(Sample sample)
        {
            Clock.SpinUntil(Clock.NowNs + _gapNs);
            _usage.Begin();
            _rest.Begin();
            long startNs = Clock.NowNs;

            _submission.Submit();
            long submittedNs = Clock.NowNs;
            int missing = _stopsAtSubmission ? 0 : _submission.AwaitAll();
            long endNs = Clock.NowNs;

            _rest.End();
            _usage.End(sample);
            missing += _stopsAtSubmission ? _submission.AwaitAll() : 0;
            _checks.Require("every task ends", missing == 0, () => $"{missing} of {_batch.Count} did not");
            _rest.Count(sample);
            sample.Count("submitting_ns", submittedNs - startNs);
            sample.Count("thread_ns", (_pool?.ThreadCount ?? 0) * (endNs - startNs));
            _batch.Record(startNs, endNs, sample, _checks);
        }

        public void Dispose()
        {
            _pool?.Dispose();
            _listener?.Dispose();
        }
    }
}
