using System;
using System.Collections.Generic;
using System.Linq;

namespace Perflab.Testing
{
    /// <summary>The arguments of a test program.</summary>
    internal sealed class TestOptions
    {
        public const string Usage =
            "[--filter CLASS#METHOD,CLASS,...] [--only CATEGORY,...] [--exclude CATEGORY,...] [--report FILE.xml]";

        private readonly Dictionary<string, string> _values = new Dictionary<string, string>();

        /// <exception cref="ArgumentException">An option is unknown or has no value.</exception>
        public TestOptions(string[] args)
        {
            string[] known = { "--filter", "--only", "--exclude", "--report" };
            for (int i = 0; i < args.Length; i += 2)
            {
                if (!known.Contains(args[i]) || i + 1 == args.Length)
                {
                    throw new ArgumentException($"cannot understand '{args[i]}'; usage: {Usage}");
                }

                _values[args[i]] = args[i + 1];
            }
        }

        /// <summary>Where the JUnit report goes; null for none.</summary>
        public string? Report => _values.GetValueOrDefault("--report");

        /// <summary>Names that were asked for and that no test has.</summary>
        public IEnumerable<string> Unmatched(IReadOnlyCollection<TestCase> all) =>
            List("--filter").Where(name => !all.Any(test => Matches(test, name)));

        public bool Selects(TestCase test) =>
            Any("--filter", name => Matches(test, name), otherwise: true)
            && Any("--only", category => test.Categories.Contains(category), otherwise: true)
            && !Any("--exclude", category => test.Categories.Contains(category), otherwise: false);

        private static bool Matches(TestCase test, string name) =>
            name == test.FilterName || test.FilterName.StartsWith(name + "#", StringComparison.Ordinal);

        private bool Any(string option, Func<string, bool> condition, bool otherwise)
        {
            string[] names = List(option);
            return names.Length == 0 ? otherwise : names.Any(condition);
        }

        private string[] List(string option) =>
            _values.TryGetValue(option, out string? names)
                ? names.Split(',', StringSplitOptions.RemoveEmptyEntries)
                : Array.Empty<string>();
    }
}
