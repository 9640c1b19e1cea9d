using System.Collections.Generic;

namespace Perflab.Bench
{
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
}
