using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;

namespace Perflab.RoslynKernel.Display
{
    /// <summary>
    /// A formatter that a type brings along, by the convention of .NET Interactive, which goes by names alone so that a
    /// library needs no reference to a kernel:
    /// <code>
    /// [TypeFormatterSource(typeof(Source))]   an attribute of that name, wherever it is declared, with a Type
    /// class Chart { }                            FormatterSourceType and perhaps string[] PreferredMimeTypes
    /// class Source { IEnumerable CreateTypeFormatters() }
    /// class One { string MimeType { get; }  bool Format(object instance, TextWriter writer) }
    /// </code>
    /// </summary>
    internal sealed class Formatter
    {
        private const BindingFlags Anywhere = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

        private static readonly ConcurrentDictionary<Type, IReadOnlyList<Formatter>> s_known =
            new ConcurrentDictionary<Type, IReadOnlyList<Formatter>>();

        private readonly object _formatter;
        private readonly MethodInfo _format;

        private Formatter(object formatter, string mimeType, MethodInfo format)
        {
            _formatter = formatter;
            MimeType = mimeType;
            _format = format;
        }

        public string MimeType { get; }

        /// <summary>Those of a type, its base types and its interfaces, the type's own first.</summary>
        public static IReadOnlyList<Formatter> Of(Type type) => s_known.GetOrAdd(type, Find);

        /// <returns>Whether it has formatted the value.</returns>
        public bool Format(object value, TextWriter writer) =>
            // A formatter that says nothing has done it.
            !(_format.Invoke(_formatter, new[] { value, writer }) is bool done) || done;

        private static IReadOnlyList<Formatter> Find(Type type)
        {
            var types = Ancestors(type).Concat(type.GetInterfaces());
            return types.SelectMany(one => one.GetCustomAttributes(inherit: false)).SelectMany(FromAttribute).ToList();
        }

        private static IEnumerable<Type> Ancestors(Type type)
        {
            for (Type? one = type; one != null; one = one.BaseType)
            {
                yield return one;
            }
        }

        private static IEnumerable<Formatter> FromAttribute(object attribute)
        {
            if (attribute.GetType().Name != "TypeFormatterSourceAttribute"
                || !(Property(attribute, "FormatterSourceType") is Type sourceType))
            {
                return Enumerable.Empty<Formatter>();
            }
            var source = Activator.CreateInstance(sourceType, nonPublic: true);
            var created = sourceType.GetMethod("CreateTypeFormatters", Anywhere)?.Invoke(source, null) as IEnumerable;
            var formatters = (created ?? Array.Empty<object>()).Cast<object>().Select(FromObject).OfType<Formatter>().ToList();
            return Property(attribute, "PreferredMimeTypes") is string[] preferred
                ? formatters.OrderBy(one => Array.IndexOf(preferred, one.MimeType) is var at && at < 0 ? int.MaxValue : at)
                : (IEnumerable<Formatter>)formatters;
        }

        private static Formatter? FromObject(object formatter)
        {
            var format = formatter.GetType().GetMethod(
                "Format", Anywhere, null, new[] { typeof(object), typeof(TextWriter) }, null);
            return format != null && Property(formatter, "MimeType") is string mimeType
                ? new Formatter(formatter, mimeType, format)
                : null;
        }

        private static object? Property(object instance, string name) =>
            instance.GetType().GetProperty(name, Anywhere)?.GetValue(instance);
    }
}
