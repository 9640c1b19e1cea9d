using System;
using System.Linq;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// Turnover by customer: each task sums up a chunk of the orders into a table of its own, and the submitting thread
    /// adds the tables when all have ended. Orders stand in columns, an array each. An operation is an order.
    /// </summary>
    internal sealed class Aggregation : IBatch
    {
        private const int Customers = 1_000;
        private const int LargestCents = 100_000;

        private readonly int[] _customers;
        private readonly int[] _cents;
        private readonly long[][] _tables;
        private readonly long[] _expected = new long[Customers];

        /// <param name="orders">how many</param>
        /// <param name="chunks">into how many ranges of nearly equal length they are divided</param>
        /// <param name="random">equal generators make equal orders</param>
        public Aggregation(int orders, int chunks, Random random)
        {
            (_customers, _cents) = (new int[orders], new int[orders]);
            for (int i = 0; i < orders; i++)
            {
                _customers[i] = random.Next(Customers);
                _cents[i] = random.Next(1, LargestCents + 1);
            }

            _tables = Enumerable.Range(0, chunks).Select(chunk => new long[Customers]).ToArray();
            SumUp(0, orders, _expected);
        }

        public int Count => _tables.Length;

        public WorkPriority Announce(int index) => WorkPriority.Normal;

        public long Execute(int index)
        {
            Array.Clear(_tables[index], 0, Customers);
            SumUp(First(index), First(index + 1), _tables[index]);
            return index;
        }

        public void Record(long startNs, long endNs, Sample sample, Checks checks)
        {
            long mergeStartNs = Clock.NowNs;
            var merged = new long[Customers];
            foreach (long[] table in _tables)
            {
                for (int customer = 0; customer < merged.Length; customer++)
                {
                    merged[customer] += table[customer];
                }

                // So that no table of this repetition passes for one of the next.
                Array.Fill(table, -1);
            }

            long ns = endNs - startNs + (Clock.NowNs - mergeStartNs);
            sample.Add(_cents.Length, ns);
            sample.Latency(ns);
            checks.Require(
                "every customer's turnover is that of one thread",
                merged.AsSpan().SequenceEqual(_expected),
                () => "one is not");
        }

        private int First(int chunk) => (int)((long)_cents.Length * chunk / Count);

        private void SumUp(int first, int end, long[] table)
        {
            for (int i = first; i < end; i++)
            {
                table[_customers[i]] += _cents[i];
            }
        }
    }
}
