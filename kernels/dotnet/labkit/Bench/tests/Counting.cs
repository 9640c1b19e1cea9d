using System;
using System.Collections.Generic;

namespace Perflab.Bench.Tests
{
    /// <summary>A scenario that counts its repetitions, each of one millisecond by its own account.</summary>
    internal sealed class Counting : IScenario<int>
    {
        private readonly ScenarioSpec _spec;

        public Counting(string name) =>
            _spec = new ScenarioSpec(name, "Counting", "a count", new Metric(name, "rate", "counts/s", Better.Higher))
                .With(new Metric("odd", "counter:odd/op", "odd counts/count", Better.Lower))
                .With(
                    Parameter.OfInt("step", 1, 1, 10, "how far a count goes"),
                    Parameter.OfFloat("ratio", 0.5, 0, 1, "unused"),
                    Parameter.OfBool("fail", false, "whether validation fails"),
                    Parameter.OfChoice("mode", "plain", new[] { "plain", "throwing", "timeless" }, "how it behaves"));

        public ScenarioSpec Spec => _spec;

        public List<int> Drawn { get; } = new List<int>();

        public int Repetitions { get; private set; }

        public bool Closed { get; private set; }

        public IExperiment Open(int subject, Setting setting)
        {
            Drawn.Add(setting.Random().Next());
            return new Experiment(this, subject, setting);
        }

        private sealed class Experiment : IExperiment
        {
            private readonly Counting _counting;
            private readonly int _subject;
            private readonly Setting _setting;

            public Experiment(Counting counting, int subject, Setting setting) =>
                (_counting, _subject, _setting) = (counting, subject, setting);

            public void Repeat(Sample sample)
            {
                _counting.Repetitions++;
                string mode = _setting.Parameters.String("mode");
                if (mode == "throwing")
                {
                    throw new InvalidOperationException("thrown on purpose");
                }

                _setting.Checks.Require("counts are right", !_setting.Parameters.Bool("fail"), () => "they are not");
                if (mode == "plain")
                {
                    sample.Add(_setting.Parameters.Int("step"), 1_000_000);
                }

                sample.Latency(1_000);
                sample.Count("odd", _subject % 2);
            }

            public void Dispose() => _counting.Closed = true;
        }
    }
}
