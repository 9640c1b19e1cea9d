using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace Perflab.Bench
{
    /// <summary>
    /// Names on the command line: how a plug-in's class is called there, and which name a misspelt one was meant to be.
    /// </summary>
    internal static class Names
    {
        /// <summary><c>MyPool</c> to <c>my-pool</c>, <c>IOPool2</c> to <c>io-pool2</c>.</summary>
        public static string KebabCase(string className)
        {
            string split = Regex.Replace(className, @"(\p{Ll}|\d)(\p{Lu})", "$1-$2");
            return Regex.Replace(split, @"(\p{Lu})(\p{Lu}\p{Ll})", "$1-$2").Replace('_', '-').ToLowerInvariant();
        }

        public static UsageException Unknown(string kind, string name, IReadOnlyCollection<string> allowed) =>
            new UsageException(WithSuggestion($"unknown {kind} '{name}'", name, allowed), allowed);

        public static string WithSuggestion(string message, string name, IReadOnlyCollection<string> allowed) =>
            Nearest(name, allowed) is string near ? $"{message}, did you mean '{near}'?" : message;

        /// <summary>The allowed name with the fewest edits, if they are few enough for a slip of the finger.</summary>
        public static string? Nearest(string name, IEnumerable<string> allowed)
        {
            int tolerated = Math.Max(2, name.Length / 3);
            return allowed
                .Where(candidate => Edits(name, candidate) <= tolerated)
                .OrderBy(candidate => Edits(name, candidate))
                .FirstOrDefault();
        }

        /// <summary>Levenshtein's distance, one row of the table at a time.</summary>
        private static int Edits(string from, string to)
        {
            int[] row = Enumerable.Range(0, to.Length + 1).ToArray();
            for (int i = 1; i <= from.Length; i++)
            {
                int diagonal = row[0];
                row[0] = i;
                for (int j = 1; j < row.Length; j++)
                {
                    int substituted = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
                    diagonal = row[j];
                    row[j] = Math.Min(substituted, Math.Min(row[j], row[j - 1]) + 1);
                }
            }

            return row[to.Length];
        }
    }
}
