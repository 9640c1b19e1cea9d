using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;

namespace Perflab.Bench.Tests
{
    /// <summary>A component whose subject is a number, and what its program printed.</summary>
    internal sealed class Fixture
    {
        private readonly Bench<int> _bench;

        public Fixture() =>
            _bench = new Bench<int>("fixture")
                .Scenarios(new[] { Counting, new Counting("summing") })
                .Variants(new[]
                {
                    new Variant<int>("three", Role.Before, "the number 3", "Three.cs", 3),
                    new Variant<int>("four", Role.After, "the number 4", "Four.cs", 4, "counting"),
                })
                .Contract(new[]
                {
                    new Check<int>("is positive", number => ContractException.Require(number > 0, $"{number} is not")),
                    new Check<int>("is even", number => ContractException.Require(number % 2 == 0, $"{number} is odd")),
                    new Check<int>(
                        "is no plug-in's", number => throw new ContractException("it is"), number => number > 4),
                })
                .Plugins<IDisposable>(create => create().GetHashCode());

        public Counting Counting { get; } = new Counting("counting");

        public string Text { get; private set; } = "";

        public List<JsonElement> Lines { get; } = new List<JsonElement>();

        public JsonElement Last => Lines[^1];

        public IEnumerable<string> Types => Lines.Select(line => line.GetProperty("type").GetString()!);

        /// <summary>Runs the program and keeps what it printed.</summary>
        /// <returns>its exit status</returns>
        public int Run(params string[] args)
        {
            TextWriter error = Console.Error;
            Console.SetError(TextWriter.Null);
            var printed = new StringWriter();
            int status = _bench.Run(args, printed);
            Console.SetError(error);
            Text = printed.ToString();
            Lines.Clear();
            Lines.AddRange(Text.Split('\n')
                .Where(line => line.StartsWith('{'))
                .Select(line => JsonDocument.Parse(line).RootElement));
            return status;
        }

        /// <summary>Runs "counting" of "four" for a sample of one repetition, without warm-up.</summary>
        public int RunOnce(params string[] more) =>
            Run(new[]
            {
                "run", "--scenario", "counting", "--variant", "four", "--warmup-ms", "0", "--sample-ms", "1",
                "--samples", "1",
            }.Concat(more).ToArray());
    }

    /// <summary>A scenario that counts its repetitions, each of one second by its own account.</summary>
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
                    Parameter.OfChoice("mode", "plain", new[] { "plain", "throwing", "timeless", "idle" }, "how it behaves"));

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
                    sample.Add(_setting.Parameters.Int("step"), 1_000_000_000);
                }

                if (mode == "idle")
                {
                    Thread.Sleep(5);
                    sample.Add(1, 100_000);
                }

                sample.Latency(1_000);
                sample.Count("odd", _subject % 2);
            }

            public void Dispose() => _counting.Closed = true;
        }
    }
}
