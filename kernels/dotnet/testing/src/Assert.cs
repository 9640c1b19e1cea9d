using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Threading.Tasks;

namespace Perflab.Testing
{
    /// <summary>Assertions, with the names and the order of arguments that xunit gave them.</summary>
    public static class Assert
    {
        public static void True([DoesNotReturnIf(false)] bool holds, string? message = null)
        {
            if (!holds)
            {
                Fail(message ?? "true was expected");
            }
        }

        public static void False([DoesNotReturnIf(true)] bool holds, string? message = null)
        {
            if (holds)
            {
                Fail(message ?? "false was expected");
            }
        }

        /// <summary>Sequences are equal if their elements are, in their order.</summary>
        public static void Equal<T>(T expected, T actual)
        {
            if (!AreEqual(expected, actual))
            {
                Fail($"expected {Show(expected)}, was {Show(actual)}");
            }
        }

        /// <summary>Sequences of different types are equal if their elements are, in their order.</summary>
        public static void Equal<T>(IEnumerable<T> expected, IEnumerable<T> actual) =>
            Equal<object>(expected.ToArray(), actual.ToArray());

        public static void NotEqual<T>(T unexpected, T actual)
        {
            if (AreEqual(unexpected, actual))
            {
                Fail($"was {Show(actual)}, which it should not be");
            }
        }

        public static void Same(object? expected, object? actual) =>
            True(ReferenceEquals(expected, actual), $"{Show(actual)} is another object than {Show(expected)}");

        public static void Null(object? actual) => True(actual is null, $"expected null, was {Show(actual)}");

        public static void NotNull([NotNull] object? actual) => True(!(actual is null), "was null");

        /// <summary>Both bounds are allowed values.</summary>
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

        /// <summary>The exception's type has to be exactly this one.</summary>
        public static TException Throws<TException>(Action code)
            where TException : Exception
        {
            try
            {
                code();
            }
            catch (Exception thrown)
            {
                return Expected<TException>(thrown);
            }

            throw new AssertionException($"nothing was thrown, {typeof(TException).Name} was expected");
        }

        /// <inheritdoc cref="Throws{TException}"/>
        public static async Task<TException> ThrowsAsync<TException>(Func<Task> code)
            where TException : Exception
        {
            try
            {
                await code().ConfigureAwait(false);
            }
            catch (Exception thrown)
            {
                return Expected<TException>(thrown);
            }

            throw new AssertionException($"nothing was thrown, {typeof(TException).Name} was expected");
        }

        [DoesNotReturn]
        public static void Fail(string message) => throw new AssertionException(message);

        private static TException Expected<TException>(Exception thrown)
            where TException : Exception =>
            thrown.GetType() == typeof(TException)
                ? (TException)thrown
                : throw new AssertionException($"{typeof(TException).Name} was expected, thrown was {thrown}");

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
