using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>An item that knows its number, and nothing else.</summary>
    internal sealed class Numbered : WorkItem
    {
        internal readonly int Number;

        internal Numbered(int number) => Number = number;

        internal override void Execute(PerThread executor) => Assert.Fail("nobody executes these");

        internal override void Cancel(PerThread executor) => Assert.Fail("nobody cancels these");
    }

    /// <summary>How often each of so many items was seen.</summary>
    internal sealed class Tally
    {
        private readonly int[] _seen;
        private int _total;

        internal Tally(int items) => _seen = new int[items];

        internal bool IsComplete => Volatile.Read(ref _total) >= _seen.Length;

        internal void Count(object item) => Count(((Numbered)item).Number);

        internal void Count(int number)
        {
            Interlocked.Increment(ref _seen[number]);
            Interlocked.Increment(ref _total);
        }

        /// <summary>Forbidden: an item that was not seen (lost), or more than once (doubled).</summary>
        internal void AssertEachOnce()
        {
            for (int i = 0; i < _seen.Length; i++)
            {
                int times = Volatile.Read(ref _seen[i]);
                Assert.True(times == 1, $"item {i} was seen {times} times");
            }
        }
    }
}
