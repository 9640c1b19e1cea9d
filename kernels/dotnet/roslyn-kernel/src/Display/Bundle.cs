using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;

namespace Perflab.RoslynKernel.Display
{
    /// <summary>A value in the forms that a frontend may choose from, by MIME type.</summary>
    internal static class Bundle
    {
        public const string Plain = "text/plain";

        /// <param name="value">What is shown.</param>
        /// <param name="mimeTypes">Those that are asked for; if there are none, all that its formatters offer, and text.</param>
        public static IReadOnlyDictionary<string, string> Of(object? value, string[] mimeTypes)
        {
            if (value is Raw raw)
            {
                return raw.Mime == Plain
                    ? new Dictionary<string, string> { [Plain] = raw.Text }
                    : new Dictionary<string, string> { [raw.Mime] = raw.Text, [Plain] = raw.Plain };
            }
            var bundle = new Dictionary<string, string>();
            foreach (var formatter in value is null ? Enumerable.Empty<TypeFormatter>() : TypeFormatter.Of(value.GetType()))
            {
                if (bundle.ContainsKey(formatter.MimeType) || !IsAsked(formatter.MimeType, mimeTypes))
                {
                    continue;
                }
                var text = new StringWriter();
                if (formatter.Format(value!, text))
                {
                    bundle.Add(formatter.MimeType, text.ToString());
                }
            }
            if (!bundle.ContainsKey(Plain) && (bundle.Count == 0 || IsAsked(Plain, mimeTypes)))
            {
                bundle.Add(Plain, PlainText.Of(value));
            }
            return bundle;
        }

        /// <summary>Writes it as Jupyter has it: JSON as JSON, everything else as a string.</summary>
        public static void WriteTo(Utf8JsonWriter json, string name, IReadOnlyDictionary<string, string> bundle)
        {
            json.WriteStartObject(name);
            foreach (var (mime, text) in bundle)
            {
                json.WritePropertyName(mime);
                if (IsJson(mime) && Parsed(text) is { } document)
                {
                    document.RootElement.WriteTo(json);
                }
                else
                {
                    json.WriteStringValue(text);
                }
            }
            json.WriteEndObject();
        }

        private static bool IsAsked(string mime, string[] mimeTypes) =>
            mimeTypes.Length == 0 || mimeTypes.Contains(mime);

        private static bool IsJson(string mime) =>
            mime == "application/json" || mime.EndsWith("+json", StringComparison.Ordinal);

        private static JsonDocument? Parsed(string text)
        {
            try
            {
                return JsonDocument.Parse(text);
            }
            catch (JsonException)
            {
                // Shown as the text that it is.
                return null;
            }
        }
    }
}
