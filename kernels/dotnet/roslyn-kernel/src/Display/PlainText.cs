using System;
using System.Collections;
using System.Collections.Generic;
using System.Data;
using System.Globalization;
using System.Linq;
using System.Reflection;
using Perflab.RoslynKernel.Scripting;

namespace Perflab.RoslynKernel.Display
{
    /// <summary>A value as text: a few levels deep, a few items long, whatever it is.</summary>
    internal static class PlainText
    {
        private const int LevelsShown = 3;

        public static string Of(object? value) => value is string text ? text : Of(value, 0);

        /// <param name="value">What is inside another value.</param>
        /// <param name="level">How deep.</param>
        public static string Of(object? value, int level)
        {
            if (value is null)
            {
                return "null";
            }
            if (TypeFormatter.Text(value) is { } formatted)
            {
                return formatted;
            }
            switch (value)
            {
                case string text:
                    return $"\"{text}\"";
                case char character:
                    return $"'{character}'";
                case bool truth:
                    return truth ? "true" : "false";
                case IFormattable number when value.GetType().IsValueType:
                    return number.ToString(null, CultureInfo.InvariantCulture);
                case Type type:
                    return Name(type);
                case Exception exception:
                    return exception.ToString();
                case DataRow row:
                    return Of(row.ItemArray, level);
                case DataTable table when level < LevelsShown:
                    return Of(table.Rows, level);
                case IDictionary dictionary when level < LevelsShown:
                    return Items(dictionary.Keys, key => $"[{Of(key, level + 1)}] = {Of(dictionary[key!], level + 1)}");
                case IEnumerable items when level < LevelsShown:
                    return Items(items, item => Of(item, level + 1));
            }
            return HasOwnText(value.GetType()) || level >= LevelsShown ? value.ToString() ?? "" : WithMembers(value, level);
        }

        /// <summary>What a value's member holds, as text; its getter may fail.</summary>
        public static string Of(Func<object, object?> member, object value, Func<object?, string> text)
        {
            object? held;
            try
            {
                held = member(value);
            }
            catch (TargetInvocationException exception)
            {
                return $"<{exception.InnerException?.GetType().Name}>";
            }
            return text(held);
        }

        /// <summary>Public properties, then public fields.</summary>
        public static IEnumerable<(string Name, Func<object, object?> Get)> Members(Type type) =>
            type.GetProperties(BindingFlags.Instance | BindingFlags.Public)
                .Where(one => one.CanRead && one.GetIndexParameters().Length == 0)
                .Select(one => (one.Name, (Func<object, object?>)one.GetValue))
                .Concat(type.GetFields(BindingFlags.Instance | BindingFlags.Public)
                    .Select(one => (one.Name, (Func<object, object?>)one.GetValue)));

        public static bool HasOwnText(Type type)
        {
            var declaring = type.GetMethod("ToString", Type.EmptyTypes)?.DeclaringType;
            return declaring != typeof(object) && declaring != typeof(ValueType);
        }

        private static string Items(IEnumerable sequence, Func<object?, string> text)
        {
            var items = Excerpt.Of(sequence);
            var rest = items.Rest.Length == 0 ? "" : $", ... ({items.Rest})";
            return $"[ {string.Join(", ", items.Items.Select(text))}{rest} ]";
        }

        private static string WithMembers(object value, int level)
        {
            var type = value.GetType();
            var all = Members(type).ToList();
            var shown = all.Take(Excerpt.ItemsShown)
                .Select(one => $"{one.Name} = {Of(one.Get, value, held => Of(held, level + 1))}");
            var rest = all.Count <= Excerpt.ItemsShown ? "" : $", ... ({all.Count - Excerpt.ItemsShown} more)";
            return all.Count == 0 ? Name(type) : $"{Name(type)} {{ {string.Join(", ", shown)}{rest} }}";
        }

        private static string Name(Type type)
        {
            var name = type.DeclaringType is { } outer && outer.Name != Session.CellClass
                ? $"{Name(outer)}.{type.Name}"
                : type.Name;
            var tick = name.IndexOf('`');
            return tick < 0
                ? name
                : $"{name.Substring(0, tick)}<{string.Join(", ", type.GetGenericArguments().Select(Name))}>";
        }
    }
}
