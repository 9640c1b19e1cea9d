using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>
    /// A parameter of a scenario: its name after <c>--param</c>, its default, what is allowed, and a line of help.
    /// </summary>
    public sealed class Parameter
    {
        private readonly Dictionary<string, object> _json;
        private readonly Func<string, object?> _read;

        /// <param name="type">as the protocol names it</param>
        /// <param name="name">after <c>--param</c></param>
        /// <param name="defaultValue">of the type</param>
        /// <param name="help">one line for the reader, with the unit</param>
        /// <param name="read">reads a text; null if it is not allowed</param>
        /// <param name="range">what <c>describe</c> says of the values that are allowed</param>
        private Parameter(
            string type,
            string name,
            object defaultValue,
            string help,
            Func<string, object?> read,
            params (string Key, object Value)[] range)
        {
            (Name, Default, _read) = (name, defaultValue, read);
            _json = new Dictionary<string, object>
            {
                ["name"] = name, ["type"] = type, ["default"] = defaultValue, ["help"] = help,
            };
            foreach ((string key, object value) in range)
            {
                _json[key] = value;
            }
        }

        public string Name { get; }

        public object Default { get; }

        /// <summary>A whole number; both bounds are allowed.</summary>
        public static Parameter OfInt(string name, long defaultValue, long min, long max, string help)
        {
            object? Read(string text) =>
                long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long value)
                && value >= min && value <= max ? (object)value : null;
            return new Parameter("int", name, defaultValue, help, Read, ("min", min), ("max", max));
        }

        /// <summary>A finite number; both bounds are allowed.</summary>
        public static Parameter OfFloat(string name, double defaultValue, double min, double max, string help)
        {
            // NaN is in no range.
            object? Read(string text) =>
                double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double value)
                && value >= min && value <= max ? (object)value : null;
            return new Parameter("float", name, defaultValue, help, Read, ("min", min), ("max", max));
        }

        public static Parameter OfBool(string name, bool defaultValue, string help) =>
            new Parameter(
                "bool", name, defaultValue, help, text => text == "true" ? true : text == "false" ? false : (object?)null);

        public static Parameter OfChoice(string name, string defaultValue, string[] choices, string help) =>
            new Parameter(
                "string",
                name,
                defaultValue,
                help,
                text => choices.Contains(text) ? text : null,
                ("choices", choices));

        /// <summary>Reads a value given on the command line.</summary>
        /// <exception cref="UsageException">The text is not of the type, or the value is not allowed.</exception>
        internal object Parse(string text) =>
            _read(text) ?? throw new UsageException($"parameter '{Name}' cannot be '{text}'");

        internal Dictionary<string, object> ToJson() => _json;
    }

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
            foreach (Parameter parameter in declared)
            {
                _values[parameter.Name] =
                    given.TryGetValue(parameter.Name, out string? text) ? parameter.Parse(text) : parameter.Default;
            }

            foreach (string name in given.Keys.Where(name => !_values.ContainsKey(name)))
            {
                throw UsageException.Unknown("parameter", name);
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
