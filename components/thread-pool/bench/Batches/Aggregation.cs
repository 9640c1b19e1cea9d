using System;
using System.Linq;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// Turnover by customer: each task sums up a range of orders into a table of its own, and the submitting thread
    /// adds the tables when all have ended. An operation is an order.
    /// </summary>
    internal sealed class Aggregation : IBatch
    {
        private readonly Orders _orders;
        private readonly Chunks _chunks;
        private readonly long[][] _tables;
        private readonly long[] _expected;

        public Aggregation(Orders orders, int chunks)
        {
            (_orders, _chunks) = (orders, new Chunks(orders.Count, chunks));
            _tables = Enumerable.Range(0, chunks).Select(chunk => new long[Orders.Customers]).ToArray();
            _expected = new long[Orders.Customers];
            SumUp(0..orders.Count, _expected);
        }

        public int Count => _chunks.Count;

        public WorkPriority Announce(int index) => WorkPriority.Normal;

        public long Execute(int index)
        {
            Array.Clear(_tables[index], 0, Orders.Customers);
            SumUp(_chunks[index], _tables[index]);
            return index;
        }

        public void Record(long startNs, long endNs, Sample sample, Checks checks)
        {
            long mergeStartNs = Clock.NowNs;
            var merged = new long[Orders.Customers];
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
            sample.Add(_orders.Count, ns);
            sample.Latency(ns);
            checks.Require(
                "every customer's turnover is that of one thread",
                merged.AsSpan().SequenceEqual(_expected),
                () => "one is not");
        }

        private void SumUp(Range rows, long[] table)
        {
            for (int i = rows.Start.Value; i < rows.End.Value; i++)
            {
                table[_orders.Customer[i]] += _orders.Cents[i];
            }
        }
    }
}
