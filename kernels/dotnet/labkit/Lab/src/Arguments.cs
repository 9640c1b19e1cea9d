using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;

namespace Perflab.Lab
{
    /// <summary>The words of a command line, built from named arguments.</summary>
    internal sealed class Arguments
    {
        private readonly List<string> _words = new List<string>();

        public IReadOnlyList<string> Words => _words;

        /// <summary>A positional argument, if there is one.</summary>
        public Arguments Word(string? value)
        {
            if (value != null)
            {
                _words.Add(value);
            }
            return this;
        }

        /// <summary><c>--name value</c>, unless there is no value.</summary>
        public Arguments Option(string name, object? value) =>
            value is null ? this : Word($"--{name}").Word(Text(value));

        /// <summary><c>--name value</c> for each of the values.</summary>
        public Arguments Each(string name, IEnumerable<string> values)
        {
            foreach (var value in values)
            {
                Option(name, value);
            }
            return this;
        }

        /// <summary><c>--name</c>, if wanted.</summary>
        public Arguments Flag(string name, bool wanted) => wanted ? Word($"--{name}") : this;

        /// <summary>
        /// <c>--param key=value</c> for each property of an object, or entry of a dictionary. Parameters are called <c>gap-us</c>,
        /// which no property can be: <c>gap_us</c> stands for it.
        /// </summary>
        public Arguments Parameters(object? values)
        {
            switch (values)
            {
                case null:
                    break;
                case IDictionary dictionary:
                    foreach (var key in dictionary.Keys)
                    {
                        Option("param", $"{key}={Text(dictionary[key!])}");
                    }
                    break;
                default:
                    foreach (var property in values.GetType().GetProperties())
                    {
                        Option("param", $"{property.Name.Replace('_', '-')}={Text(property.GetValue(values))}");
                    }
                    break;
            }
            return this;
        }

        private static string Text(object? value) => value switch
        {
            bool truth => truth ? "true" : "false",
            IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
            _ => value?.ToString() ?? "",
        };
    }
}
