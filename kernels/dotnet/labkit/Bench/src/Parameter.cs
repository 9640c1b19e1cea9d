using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>
    /// A parameter of a scenario: its name after <c>--param</c>, its default, what is allowed, and a line of help.
    /// </summary>
    public abstract class Parameter
    {
        private Parameter(string name, object defaultValue, string help) =>
            (Name, Default, Help) = (name, defaultValue, help);

        public string Name { get; }

        public object Default { get; }

        /// <summary>One line for the reader, with the unit.</summary>
        public string Help { get; }

        protected abstract string Type { get; }

        protected abstract string[] Allowed { get; }

        /// <summary>A whole number; both bounds are allowed.</summary>
        public static Parameter OfInt(string name, long defaultValue, long min, long max, string help) =>
            new Number<long>("int", name, defaultValue, min, max, help, WholeNumber);

        /// <summary>A finite number; both bounds are allowed.</summary>
        public static Parameter OfFloat(string name, double defaultValue, double min, double max, string help) =>
            new Number<double>("float", name, defaultValue, min, max, help, FiniteNumber);

        public static Parameter OfBool(string name, bool defaultValue, string help) =>
            new Flag(name, defaultValue, help);

        public static Parameter OfChoice(string name, string defaultValue, string[] choices, string help) =>
            new Choice(name, defaultValue, choices, help);

        /// <summary>Reads a value given on the command line.</summary>
        /// <exception cref="UsageException">The text is not of the type, or the value is not allowed.</exception>
        internal object Parse(string text) =>
            TryParse(text)
            ?? throw new UsageException($"parameter '{Name}' cannot be '{text}'", Allowed);

        internal virtual Dictionary<string, object> ToJson() => new Dictionary<string, object>
        {
            ["name"] = Name,
            ["type"] = Type,
            ["default"] = Default,
            ["help"] = Help,
        };

        protected virtual string[] Choices => Array.Empty<string>();

        /// <returns>Null if the text is not allowed.</returns>
        protected abstract object? TryParse(string text);

        private static long? WholeNumber(string text) =>
            long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long value)
                ? value
                : (long?)null;

        private static double? FiniteNumber(string text) =>
            double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double value)
            && !double.IsNaN(value) && !double.IsInfinity(value)
                ? value
                : (double?)null;

        private sealed class Number<T> : Parameter
            where T : struct, IComparable<T>, IFormattable
        {
            private readonly T _min;
            private readonly T _max;
            private readonly Func<string, T?> _parse;

            public Number(string type, string name, T value, T min, T max, string help, Func<string, T?> parse)
                : base(name, value, help) =>
                (Type, _min, _max, _parse) = (type, min, max, parse);

            protected override string Type { get; }

            protected override string[] Allowed => new[]
            {
                (Type == "int" ? "a whole number from " : "a number from ") + Text(_min) + " to " + Text(_max),
            };

            internal override Dictionary<string, object> ToJson()
            {
                Dictionary<string, object> json = base.ToJson();
                json["min"] = _min;
                json["max"] = _max;
                return json;
            }

            protected override object? TryParse(string text) =>
                _parse(text) is T value && value.CompareTo(_min) >= 0 && value.CompareTo(_max) <= 0
                    ? (object)value
                    : null;

            private static string Text(T value) => value.ToString(null, CultureInfo.InvariantCulture);
        }

        private sealed class Flag : Parameter
        {
            public Flag(string name, bool defaultValue, string help)
                : base(name, defaultValue, help)
            {
            }

            protected override string Type => "bool";

            protected override string[] Allowed => new[] { "true or false" };

            protected override object? TryParse(string text) => text switch
            {
                "true" => true,
                "false" => false,
                _ => (object?)null,
            };
        }

        private sealed class Choice : Parameter
        {
            public Choice(string name, string defaultValue, string[] choices, string help)
                : base(name, defaultValue, help) => Choices = choices;

            protected override string Type => "string";

            protected override string[] Allowed => Choices;

            protected override string[] Choices { get; }

            internal override Dictionary<string, object> ToJson()
            {
                Dictionary<string, object> json = base.ToJson();
                json["choices"] = Choices;
                return json;
            }

            protected override object? TryParse(string text) => Choices.Contains(text) ? text : null;
        }
    }
}
