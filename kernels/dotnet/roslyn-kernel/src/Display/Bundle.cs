using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
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

    /// <summary>
    /// Writes values of a type in the form of one MIME type. The type brings it along, by the convention of .NET Interactive,
    /// which goes by names alone so that a library needs no reference to a kernel:
    /// <code>
    /// [TypeFormatterSource(typeof(Source))]   an attribute of that name, wherever it is declared, with a Type
    /// class Chart { }                            FormatterSourceType and perhaps string[] PreferredMimeTypes
    /// class Source { IEnumerable CreateTypeFormatters() }
    /// class One { string MimeType { get; }  bool Format(object instance, TextWriter writer) }
    /// </code>
    /// </summary>
    internal sealed class TypeFormatter
    {
        private const BindingFlags Anywhere = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

        private static readonly ConcurrentDictionary<Type, IReadOnlyList<TypeFormatter>> s_known =
            new ConcurrentDictionary<Type, IReadOnlyList<TypeFormatter>>();

        private readonly Func<object, TextWriter, bool> _format;

        private TypeFormatter(string mimeType, Func<object, TextWriter, bool> format)
        {
            MimeType = mimeType;
            _format = format;
        }

        public string MimeType { get; }

        /// <summary>Those of a type, its base types and its interfaces, the nearest first.</summary>
        public static IReadOnlyList<TypeFormatter> Of(Type type) => s_known.GetOrAdd(type, Find);

        /// <returns>Whether it has formatted the value.</returns>
        public bool Format(object value, TextWriter writer) => _format(value, writer);

        /// <returns>The text of a value by a formatter of its type; null if none has formatted it.</returns>
        public static string? Text(object value)
        {
            var text = new StringWriter();
            return Of(value.GetType()).Any(one => one.MimeType == Bundle.Plain && one.Format(value, text)) ? text.ToString() : null;
        }

        private static IReadOnlyList<TypeFormatter> Find(Type type) => Ancestors(type)
            .Concat(type.GetInterfaces())
            .SelectMany(one => one.GetCustomAttributes(inherit: false))
            .SelectMany(FromAttribute)
            .ToList();

        private static IEnumerable<Type> Ancestors(Type type)
        {
            for (Type? one = type; one != null && one != typeof(object); one = one.BaseType)
            {
                yield return one;
            }
        }

        private static IEnumerable<TypeFormatter> FromAttribute(object attribute)
        {
            if (attribute.GetType().Name != "TypeFormatterSourceAttribute"
                || !(Property(attribute, "FormatterSourceType") is Type sourceType))
            {
                return Enumerable.Empty<TypeFormatter>();
            }
            var source = Activator.CreateInstance(sourceType, nonPublic: true);
            var created = sourceType.GetMethod("CreateTypeFormatters", Anywhere)?.Invoke(source, null) as IEnumerable;
            var formatters = (created ?? Array.Empty<object>()).Cast<object>().Select(FromObject).OfType<TypeFormatter>().ToList();
            return Property(attribute, "PreferredMimeTypes") is string[] preferred
                ? formatters.OrderBy(one => Array.IndexOf(preferred, one.MimeType) is var at && at < 0 ? int.MaxValue : at)
                : (IEnumerable<TypeFormatter>)formatters;
        }

        private static TypeFormatter? FromObject(object formatter)
        {
            var format = formatter.GetType().GetMethod(
                "Format", Anywhere, null, new[] { typeof(object), typeof(TextWriter) }, null);
            return format != null && Property(formatter, "MimeType") is string mimeType
                // A formatter that says nothing has done it.
                ? new TypeFormatter(
                    mimeType, (value, writer) => !(format.Invoke(formatter, new[] { value, writer }) is bool done) || done)
                : null;
        }

        private static object? Property(object instance, string name) =>
            instance.GetType().GetProperty(name, Anywhere)?.GetValue(instance);
    }
}
