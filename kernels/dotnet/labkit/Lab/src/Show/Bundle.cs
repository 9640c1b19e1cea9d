using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Perflab.Lab.Show
{
    /// <summary>
    /// The attribute that both C# kernels look for on the type of a value, by its name alone, so that the labkit needs neither.
    /// </summary>
    [AttributeUsage(AttributeTargets.Class)]
    internal sealed class TypeFormatterSourceAttribute : Attribute
    {
        public TypeFormatterSourceAttribute(Type formatterSourceType) => FormatterSourceType = formatterSourceType;

        public Type FormatterSourceType { get; }

        public string[] PreferredMimeTypes { get; set; } = BundleFormatters.MimeTypes;
    }

    /// <summary>A MIME bundle exactly as the lab made it.</summary>
    [TypeFormatterSource(typeof(BundleFormatters))]
    internal sealed class Bundle
    {
        private readonly IReadOnlyDictionary<string, string> _texts;

        public Bundle(IReadOnlyDictionary<string, string> texts) => _texts = texts;

        /// <summary>Those that it has, of those that there are formatters for.</summary>
        public string[] MimeTypes => BundleFormatters.MimeTypes.Where(_texts.ContainsKey).ToArray();

        public string? this[string mimeType] => _texts.TryGetValue(mimeType, out var text) ? text : null;

        public override string ToString() => this["text/plain"] ?? "";
    }

    /// <summary>One formatter per MIME type that the lab makes.</summary>
    internal sealed class BundleFormatters
    {
        public static readonly string[] MimeTypes =
        {
            "application/vnd.plotly.v1+json", "text/html", "image/png", "image/svg+xml", "text/markdown", "text/plain",
        };

        public IEnumerable<object> CreateTypeFormatters() => MimeTypes.Select(mime => new BundleFormatter(mime));
    }

    /// <summary>The formatter of values whose text is all that is to be seen, where a kernel would list their properties.</summary>
    internal sealed class TextFormatters
    {
        public const string MimeType = "text/plain";

        public IEnumerable<object> CreateTypeFormatters() => new[] { new TextFormatter() };
    }

    /// <summary>A value as its text.</summary>
    internal sealed class TextFormatter
    {
        public string MimeType => TextFormatters.MimeType;

        public bool Format(object instance, TextWriter writer)
        {
            writer.Write(instance);
            return true;
        }
    }

    /// <summary>A bundle in the form of one MIME type.</summary>
    internal sealed class BundleFormatter
    {
        public BundleFormatter(string mimeType) => MimeType = mimeType;

        public string MimeType { get; }

        /// <returns>Whether the bundle has that form.</returns>
        public bool Format(object instance, TextWriter writer)
        {
            if (!(instance is Bundle bundle) || !(bundle[MimeType] is { } text))
            {
                return false;
            }
            writer.Write(text);
            return true;
        }
    }
}
