using System;
using System.Collections.Generic;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>
    /// The values of a scenario's parameters in one run: those given, and the defaults of the others.
    /// </summary>
    public sealed class Parameters
    {
        private readonly Dictionary<string, object> _values = new Dictionary<string, object>();

        /// <summary>Binds the texts of <c>--param</c> to what a scenario declares.</summary>
        /// <exception cref="UsageException">A name is not declared, or a value not allowed.</exception>
        public Parameters(IReadOnlyCollection<Parameter> declared, IReadOnlyDictionary<string, string> given)
        {
            string[] names = declared.Select(parameter => parameter.Name).ToArray();
            foreach (string name in given.Keys)
            {
                if (!names.Contains(name))
                {
                    throw Names.Unknown("parameter", name, names);
                }
            }

            foreach (Parameter parameter in declared)
            {
                _values[parameter.Name] =
                    given.TryGetValue(parameter.Name, out string? text) ? parameter.Parse(text) : parameter.Default;
            }
        }

        /// <summary>Whether the scenario declares such a parameter.</summary>
        public bool Has(string name) => _values.ContainsKey(name);

        public int Int(string name) => checked((int)Long(name));

        public long Long(string name) => (long)Value(name);

        public double Double(string name) => (double)Value(name);

        public bool Bool(string name) => (bool)Value(name);

        public string String(string name) => (string)Value(name);

        internal Dictionary<string, object> ToJson() => _values;

        private object Value(string name) =>
            _values.TryGetValue(name, out object? value)
                ? value
                : throw new ArgumentException($"the scenario declares no parameter '{name}'");
    }
}
