using System.Collections;
using System.Collections.Generic;
using System.Linq;

namespace Perflab.RoslynKernel.Display
{
    /// <summary>
    /// The first items of a sequence, and how many there are beyond them. The sequence is run through once, no farther than that:
    /// it may be computed as it goes, print, or never end.
    /// </summary>
    internal sealed class Excerpt : IEnumerable
    {
        public const int ItemsShown = 20;

        private Excerpt(IReadOnlyList<object?> items, string rest)
        {
            Items = items;
            Rest = rest;
        }

        public IReadOnlyList<object?> Items { get; }

        /// <summary>"80 more", or "more" if nothing says how many; empty if these are all.</summary>
        public string Rest { get; }

        public static Excerpt Of(IEnumerable sequence)
        {
            if (sequence is Excerpt already)
            {
                return already;
            }
            var first = sequence.Cast<object?>().Take(ItemsShown + 1).ToList();
            return first.Count <= ItemsShown
                ? new Excerpt(first, "")
                : new Excerpt(first.Take(ItemsShown).ToList(), Count(sequence) is int all ? $"{all - ItemsShown} more" : "more");
        }

        public IEnumerator GetEnumerator() => Items.GetEnumerator();

        private static object? Count(IEnumerable sequence) => sequence is ICollection collection
            ? collection.Count
            : sequence.GetType().GetInterfaces()
                .FirstOrDefault(one => one.IsGenericType && one.GetGenericTypeDefinition() == typeof(IReadOnlyCollection<>))
                ?.GetProperty("Count")?.GetValue(sequence);
    }
}
