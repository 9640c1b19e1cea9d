using System;
using System.Linq;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>A scenario that repeats a batch.</summary>
    internal sealed class BatchScenario : IScenario<PoolDesign>
    {
        private readonly Func<Setting, IBatch> _batch;
        private readonly Func<Parameters, string> _path;
        private readonly bool _stopsAtSubmission;

        /// <param name="spec">what it tells about itself, without what all batches have in common</param>
        /// <param name="batch">makes the tasks</param>
        /// <param name="path">the way of submission, if it is not the parameter's</param>
        /// <param name="stopsAtSubmission">whether only the submission is timed</param>
        public BatchScenario(
            ScenarioSpec spec, Func<Setting, IBatch> batch, string? path = null, bool stopsAtSubmission = false)
        {
            Spec = spec
                .With(
                    new Metric("allocated", "counter:allocated_bytes/op", "bytes/operation", Better.Lower),
                    new Metric("cpu", "counter:cpu_ns/op", "ns of CPU/operation", Better.Lower),
                    new Metric("gap-cpu", "counter:gap_cpu_ns/op", "ns of CPU in the gap/operation", Better.Lower),
                    new Metric("switches", "counter:voluntary_switches/op", "sleeps/operation", Better.Lower),
                    new Metric("preempted", "counter:involuntary_switches/op", "preemptions/operation", Better.Lower),
                    new Metric("asleep", "counter:asleep_ns/ns", "threads asleep", Better.Lower),
                    new Metric("threads", "counter:thread_ns/ns", "threads", Better.Lower),
                    new Metric("submitting", "counter:submitting_ns/ns", "share of the time", Better.Lower))
                .With(CommonParameters.Gap)
                .With(CommonParameters.OfPool);
            bool isKnob = spec.Parameters.Any(parameter => parameter.Name == "path");
            _path = parameters => path ?? (isKnob ? parameters.String("path") : "task");
            (_batch, _stopsAtSubmission) = (batch, stopsAtSubmission);
        }

        public ScenarioSpec Spec { get; }

        public IExperiment Open(PoolDesign design, Setting setting) =>
            new BatchExperiment(design, setting, _batch(setting), _path(setting.Parameters), _stopsAtSubmission);
    }
}
