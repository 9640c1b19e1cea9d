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
        private const int ItemsShown = 20;
        private const int LevelsShown = 3;

        public static string Of(object? value) => value is string text ? text : Of(value, 0);

        private static string Of(object? value, int level)
        {
            if (value is null)
            {
                return "null";
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
                    return Items(dictionary.Keys.Cast<object>().Select(
                        key => $"[{Of(key, level + 1)}] = {Of(dictionary[key], level + 1)}"));
                case IEnumerable items when level < LevelsShown:
                    return Items(items.Cast<object?>().Select(item => Of(item, level + 1)));
            }
            return HasOwnText(value.GetType()) || level >= LevelsShown ? value.ToString() ?? "" : Members(value, level);
        }

        private static string Items(IEnumerable<string> items)
        {
            var first = items.Take(ItemsShown + 1).ToList();
            var more = first.Count > ItemsShown;
            return $"[ {string.Join(", ", first.Take(ItemsShown))}{(more ? ", ..." : "")} ]";
        }

        private static string Members(object value, int level)
        {
            var type = value.GetType();
            var properties = type.GetProperties(BindingFlags.Instance | BindingFlags.Public)
                .Where(one => one.CanRead && one.GetIndexParameters().Length == 0)
                .Select(one => $"{one.Name} = {Get(() => one.GetValue(value), level)}");
            var fields = type.GetFields(BindingFlags.Instance | BindingFlags.Public)
                .Select(one => $"{one.Name} = {Get(() => one.GetValue(value), level)}");
            var members = properties.Concat(fields).Take(ItemsShown).ToList();
            return members.Count == 0 ? Name(type) : $"{Name(type)} {{ {string.Join(", ", members)} }}";
        }

        private static string Get(Func<object?> member, int level)
        {
            try
            {
                return Of(member(), level + 1);
            }
            catch (TargetInvocationException exception)
            {
                return $"<{exception.InnerException?.GetType().Name}>";
            }
        }

        private static bool HasOwnText(Type type)
        {
            var declaring = type.GetMethod("ToString", Type.EmptyTypes)?.DeclaringType;
            return declaring != typeof(object) && declaring != typeof(ValueType);
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
