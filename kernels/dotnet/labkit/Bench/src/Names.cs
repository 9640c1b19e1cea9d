using System.Collections.Generic;
using System.Text.RegularExpressions;

namespace Perflab.Bench
{
    /// <summary>Names on the command line. Python suggests what a misspelt one was meant to be.</summary>
    internal static class Names
    {
        /// <summary><c>MyPool</c> to <c>my-pool</c>, <c>IOPool2</c> to <c>io-pool2</c>.</summary>
        public static string KebabCase(string className)
        {
            string split = Regex.Replace(className, @"(\p{Ll}|\d)(\p{Lu})", "$1-$2");
            return Regex.Replace(split, @"(\p{Lu})(\p{Lu}\p{Ll})", "$1-$2").Replace('_', '-').ToLowerInvariant();
        }

        public static UsageException Unknown(string kind, string name, IReadOnlyCollection<string> allowed) =>
            new UsageException($"unknown {kind} '{name}'", allowed);
    }
}
