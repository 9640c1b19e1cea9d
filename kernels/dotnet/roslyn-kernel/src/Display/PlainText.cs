using System;
using System.Collections;
using System.Collections.Generic;
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
        private const int ItemsShown = 20;

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
                case IDictionary dictionary when level < LevelsShown:
                    return Items(dictionary.Keys, key => $"[{Of(key, level + 1)}] = {Of(dictionary[key!], level + 1)}");
                case IEnumerable items when level < LevelsShown:
                    return Items(items, item => Of(item, level + 1));
            }
            return HasOwnText(value.GetType()) || level >= LevelsShown ? value.ToString() ?? "" : WithMembers(value, level);
        }

        private static bool HasOwnText(Type type)
        {
            var declaring = type.GetMethod("ToString", Type.EmptyTypes)?.DeclaringType;
            return declaring != typeof(object) && declaring != typeof(ValueType);
        }

        // The sequence may be computed as it goes, print, or never end: it is run through once, no farther than is shown.
        private static string Items(IEnumerable sequence, Func<object?, string> text)
        {
            var first = sequence.Cast<object?>().Take(ItemsShown + 1).ToList();
            var rest = first.Count <= ItemsShown ? "" : $", ... ({(sequence is ICollection all ? $"{all.Count - ItemsShown} " : "")}more)";
            return $"[ {string.Join(", ", first.Take(ItemsShown).Select(text))}{rest} ]";
        }

        private static string WithMembers(object value, int level)
        {
            const BindingFlags shown = BindingFlags.Instance | BindingFlags.Public;
            var type = value.GetType();
            var members = type.GetProperties(shown).Where(one => one.CanRead && one.GetIndexParameters().Length == 0)
                .Select(one => $"{one.Name} = {Held(() => one.GetValue(value), level)}")
                .Concat(type.GetFields(shown).Select(one => $"{one.Name} = {Of(one.GetValue(value), level + 1)}"))
                .Take(ItemsShown)
                .ToList();
            return members.Count == 0 ? Name(type) : $"{Name(type)} {{ {string.Join(", ", members)} }}";
        }

        private static string Held(Func<object?> get, int level)
        {
            try
            {
                return Of(get(), level + 1);
            }
            catch (TargetInvocationException exception)
            {
                return $"<{exception.InnerException?.GetType().Name}>";
            }
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
