using System;
using System.Collections.Generic;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>A command's options, each as <c>--name value</c> or <c>--name=value</c>, all with a value.</summary>
    internal sealed class CommandLine
    {
        private readonly List<(string Name, string Value)> _given = new List<(string, string)>();

        /// <exception cref="UsageException">An option is not one of the command's, or lacks its value.</exception>
        public CommandLine(IEnumerable<string> args, IReadOnlyCollection<string> known)
        {
            var rest = new Queue<string>(args);
            while (rest.Count > 0)
            {
                string argument = rest.Dequeue();
                int equals = argument.IndexOf('=', StringComparison.Ordinal);
                string name = equals < 0 ? argument : argument.Substring(0, equals);
                if (!known.Contains(name))
                {
                    throw Names.Unknown("option", name, known);
                }

                if (equals < 0 && rest.Count == 0)
                {
                    throw new UsageException($"option '{name}' has no value", known);
                }

                _given.Add((name, equals < 0 ? rest.Dequeue() : argument.Substring(equals + 1)));
            }
        }

        /// <summary>The option's value, the last one if it was given twice; null if it was not given.</summary>
        public string? Value(string option) => _given.LastOrDefault(given => given.Name == option).Value;

        /// <exception cref="UsageException">It was not given.</exception>
        public string Required(string option) =>
            Value(option) ?? throw new UsageException($"the option '{option}' is missing", option + " NAME");

        /// <summary>What a repeatable option was given, as <c>name=value</c> each.</summary>
        /// <exception cref="UsageException">One of them has no equals sign.</exception>
        public Dictionary<string, string> Pairs(string option)
        {
            var pairs = new Dictionary<string, string>();
            foreach ((string name, string value) in _given.Where(given => given.Name == option))
            {
                int equals = value.IndexOf('=', StringComparison.Ordinal);
                if (equals < 0)
                {
                    throw new UsageException($"'{name} {value}' has no value", option + " NAME=VALUE");
                }

                pairs[value.Substring(0, equals)] = value.Substring(equals + 1);
            }

            return pairs;
        }
    }
}
