using System.Collections.Generic;
using System.Linq;

namespace Perflab.Bench
{
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
}
