using System;

namespace Perflab.Bench
{
    /// <summary>Warm-up and samples.</summary>
    internal sealed class SampleLoop
    {
        private const long NsPerMs = 1_000_000;

        private readonly RunOptions _options;
        private readonly ProtocolWriter _writer;

        public SampleLoop(RunOptions options, ProtocolWriter writer) => (_options, _writer) = (options, writer);

        /// <summary>All operations of all samples.</summary>
        public double Ops { get; private set; }

        /// <summary>All nanoseconds of all samples.</summary>
        public long Ns { get; private set; }

        /// <summary>
        /// Repeats the experiment until it is warm, then until each sample has lasted long enough. A sample is written
        /// after its last timed region and before the next one.
        /// </summary>
        public void Run(IExperiment experiment)
        {
            using var runtime = new RuntimeMeter();
            if (_options.WarmupMs > 0)
            {
                RepeatFor(_options.WarmupMs * NsPerMs, experiment);
            }

            runtime.Begin();
            for (int i = 0; i < _options.Samples; i++)
            {
                Sample sample = RepeatFor(_options.SampleMs * NsPerMs, experiment);
                runtime.Count(sample);
                Ops += sample.Ops;
                Ns += sample.Ns;
                _writer.Line(sample.ToJson(i));
            }
        }

        private static Sample RepeatFor(long nanoseconds, IExperiment experiment)
        {
            var sample = new Sample();
            do
            {
                long before = sample.Ns;
                experiment.Repeat(sample);
                if (sample.Ns == before)
                {
                    throw new InvalidOperationException("a repetition recorded no time: the sample would never end");
                }
            }
            while (sample.Ns < nanoseconds);
            return sample;
        }
    }
}
