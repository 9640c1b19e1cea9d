using System.Collections.Generic;
using System.Linq;
using Perflab.Lab.Show;

namespace Perflab.Lab.Variants
{
    /// <summary>
    /// A variant of the reader's own that compiles and keeps the component's contract; <c>lab.Measure(..., plugin: it)</c> measures it
    /// against the others.
    /// </summary>
    [TypeFormatterSource(typeof(TextFormatters), PreferredMimeTypes = new[] { TextFormatters.MimeType })]
    public sealed class Plugin
    {
        internal Plugin(string component, IReadOnlyList<string> variants, IReadOnlyList<string> checks, string path)
        {
            Component = component;
            Variants = variants;
            Checks = checks;
            Path = path;
        }

        /// <summary>Whose variant it is.</summary>
        public string Component { get; }

        /// <summary>The names it is measured under, as in <c>my-pool</c>.</summary>
        public IReadOnlyList<string> Variants { get; }

        /// <summary>The contract's checks that it passed.</summary>
        public IReadOnlyList<string> Checks { get; }

        internal string Path { get; }

        /// <inheritdoc/>
        public override string ToString() =>
            $"{string.Join(", ", Variants)}: keeps the contract of {Component}"
            + string.Concat(Checks.Select(check => $"\n  ok  {check}"));
    }
}
