using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;

namespace Perflab.Testing
{
    /// <summary>An assertion does not hold.</summary>
    public sealed class AssertionException : Exception
    {
        public AssertionException(string message)
            : base(message)
        {
        }
    }

    /// <summary>Assertions, with the names and the order of arguments of xunit.</summary>
    public static class Assert
    {
        public static void True([DoesNotReturnIf(false)] bool holds, string? message = null)
        {
            if (!holds)
            {
                Fail(message ?? "expected true");
            }
        }

        public static void False([DoesNotReturnIf(true)] bool holds, string? message = null) =>
            True(!holds, message ?? "expected false");

        /// <summary>Sequences are equal if their elements are, in order.</summary>
        public static void Equal<T>(T expected, T actual) =>
            True(AreEqual(expected, actual), $"expected {Show(expected)}, was {Show(actual)}");

        /// <summary>Compares sequences of different types.</summary>
        public static void Equal<T>(IEnumerable<T> expected, IEnumerable<T> actual) =>
            Equal<object>(expected.ToArray(), actual.ToArray());

        public static void NotEqual<T>(T unexpected, T actual) =>
            True(!AreEqual(unexpected, actual), $"expected anything but {Show(actual)}");

        public static void Null(object? actual) => True(actual is null, $"expected null, was {Show(actual)}");

        public static void NotNull([NotNull] object? actual) => True(!(actual is null), "was null");

        /// <summary>Both bounds are inclusive.</summary>
        public static void InRange<T>(T actual, T low, T high)
            where T : IComparable<T> =>
            True(actual.CompareTo(low) >= 0 && actual.CompareTo(high) <= 0, $"{actual} is not in [{low}, {high}]");

        public static void Contains(string expected, string? actual) =>
            True(
                actual?.Contains(expected, StringComparison.Ordinal) == true,
                $"{Show(expected)} is not in {Show(actual)}");

        public static void Contains<T>(T expected, IEnumerable<T> actual) =>
            True(actual.Contains(expected), $"{Show(expected)} is not in {Show(actual)}");

        public static void DoesNotContain(string unexpected, string? actual) =>
            True(
                actual?.Contains(unexpected, StringComparison.Ordinal) != true,
                $"{Show(unexpected)} is in {Show(actual)}");

        public static void Empty(IEnumerable actual) =>
            True(!actual.Cast<object>().Any(), $"{Show(actual)} is not empty");

        /// <summary>The exception must be of exactly this type.</summary>
        public static TException Throws<TException>(Action code)
            where TException : Exception
        {
            Exception? thrown = null;
            try
            {
                code();
            }
            catch (Exception caught)
            {
                thrown = caught;
            }

            return thrown?.GetType() == typeof(TException)
                ? (TException)thrown
                : throw new AssertionException($"expected {typeof(TException).Name}, was {Show(thrown)}");
        }

        [DoesNotReturn]
        public static void Fail(string message) => throw new AssertionException(message);

        private static bool AreEqual(object? expected, object? actual) =>
            expected is IEnumerable left && actual is IEnumerable right && !(expected is string)
                ? left.Cast<object>().SequenceEqual(right.Cast<object>())
                : Equals(expected, actual);

        private static string Show(object? value) => value switch
        {
            null => "null",
            string text => '"' + text + '"',
            IEnumerable elements => "[" + string.Join(", ", elements.Cast<object>().Select(Show)) + "]",
            _ => value.ToString() ?? "",
        };
    }
}
