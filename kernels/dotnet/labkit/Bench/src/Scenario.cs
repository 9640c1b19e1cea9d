using System;
using System.Collections.Generic;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>Something that can be measured of every variant. It keeps its own clock.</summary>
    /// <typeparam name="TSubject">what a variant hands to a scenario</typeparam>
    public interface IScenario<in TSubject>
    {
        /// <summary>What it tells about itself.</summary>
        ScenarioSpec Spec { get; }

        /// <summary>Sets up everything that outlives a repetition; none of it is timed.</summary>
        /// <param name="subject">what is measured</param>
        /// <param name="setting">this run's parameters, randomness and checks</param>
        IExperiment Open(TSubject subject, Setting setting);
    }

    /// <summary>
    /// A set-up scenario. Warm-up and samples repeat it; disposing of it makes the checks that can only be made at the
    /// end.
    /// </summary>
    public interface IExperiment : IDisposable
    {
        /// <summary>
        /// Performs the scenario once, times it with its own clock, records the outcome, and validates it outside the
        /// timed region.
        /// </summary>
        /// <param name="sample">where the operations, their time, latencies and counters go; no I/O in here</param>
        void Repeat(Sample sample);
    }

    /// <summary>A scenario whose experiments a function sets up.</summary>
    /// <typeparam name="TSubject">what a variant hands to it</typeparam>
    public sealed class Scenario<TSubject> : IScenario<TSubject>
    {
        private readonly Func<TSubject, Setting, IExperiment> _open;

        public Scenario(ScenarioSpec spec, Func<TSubject, Setting, IExperiment> open) => (Spec, _open) = (spec, open);

        public ScenarioSpec Spec { get; }

        public IExperiment Open(TSubject subject, Setting setting) => _open(subject, setting);
    }

    /// <summary>What a scenario is run with.</summary>
    public sealed class Setting
    {
        public Setting(Parameters parameters, long seed, Checks checks) =>
            (Parameters, Seed, Checks) = (parameters, seed, checks);

        /// <summary>The values of its parameters.</summary>
        public Parameters Parameters { get; }

        /// <summary>From <c>--seed</c>.</summary>
        public long Seed { get; }

        /// <summary>Where it records what it validated.</summary>
        public Checks Checks { get; }

        /// <summary>
        /// A new generator; two of them from one setting give the same numbers, on every version of .NET.
        /// </summary>
        public Random Random() => new Random(Seed.GetHashCode());
    }

    /// <summary>What a scenario tells about itself in <c>describe</c>.</summary>
    public sealed class ScenarioSpec
    {
        private readonly List<Metric> _metrics = new List<Metric>();
        private readonly List<Parameter> _parameters = new List<Parameter>();

        /// <param name="name">the name after <c>--scenario</c></param>
        /// <param name="title">a short heading</param>
        /// <param name="operation">what one operation is</param>
        /// <param name="headline">the metric that comparisons use unless another one is asked for; its name is not
        /// shown</param>
        public ScenarioSpec(string name, string title, string operation, Metric headline) =>
            (Name, Title, Operation, Headline) = (name, title, operation, headline);

        public string Name { get; }

        public string Title { get; }

        public string Operation { get; }

        public Metric Headline { get; }

        public IReadOnlyList<Metric> Metrics => _metrics;

        public IReadOnlyList<Parameter> Parameters => _parameters;

        /// <summary>Adds further metrics.</summary>
        public ScenarioSpec With(params Metric[] metrics)
        {
            _metrics.AddRange(metrics);
            return this;
        }

        /// <summary>Adds parameters.</summary>
        public ScenarioSpec With(params Parameter[] parameters)
        {
            _parameters.AddRange(parameters);
            return this;
        }

        internal Dictionary<string, object> ToJson() => new Dictionary<string, object>
        {
            ["name"] = Name,
            ["title"] = Title,
            ["operation"] = Operation,
            ["unit"] = Headline.Unit,
            ["better"] = ProtocolWriter.Name(Headline.Better),
            ["metric"] = Headline.Of,
            ["metrics"] = _metrics.Select(metric => metric.ToJson()).ToArray(),
            ["parameters"] = _parameters.Select(parameter => parameter.ToJson()).ToArray(),
        };
    }

    /// <summary>A named figure of a fork.</summary>
    public sealed class Metric
    {
        /// <param name="name">the metric's name</param>
        /// <param name="of">an expression of the protocol, such as <c>counter:refused/op</c> or <c>p99</c></param>
        /// <param name="unit">the unit of the figure</param>
        /// <param name="better">which direction is an improvement</param>
        public Metric(string name, string of, string unit, Better better) =>
            (Name, Of, Unit, Better) = (name, of, unit, better);

        public string Name { get; }

        public string Of { get; }

        public string Unit { get; }

        public Better Better { get; }

        internal Dictionary<string, object> ToJson() => new Dictionary<string, object>
        {
            ["name"] = Name,
            ["of"] = Of,
            ["unit"] = Unit,
            ["better"] = ProtocolWriter.Name(Better),
        };
    }

    /// <summary>Which direction of a metric is an improvement.</summary>
    public enum Better
    {
        Higher,
        Lower,
    }
}
