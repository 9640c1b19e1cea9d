using System;
using System.Collections.Generic;
using System.Linq;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// The dearest orders of every fourth customer: each task filters a range of orders and keeps its best, and the
    /// submitting thread merges those. Written with LINQ, as queries are, and so it allocates. An operation is an
    /// order.
    /// </summary>
    internal sealed class TopQuery : IBatch
    {
        private const int Best = 10;
        private const int EveryNthCustomer = 4;

        private readonly Orders _orders;
        private readonly Chunks _chunks;
        private readonly int[][] _best;
        private readonly int[] _expected;

        public TopQuery(Orders orders, int chunks)
        {
            (_orders, _chunks) = (orders, new Chunks(orders.Count, chunks));
            _best = new int[chunks][];
            _expected = Query(0..orders.Count);
        }

        public int Count => _chunks.Count;

        public WorkPriority Announce(int index) => WorkPriority.Normal;

        public long Execute(int index)
        {
            _best[index] = Query(_chunks[index]);
            return index;
        }

        public void Record(long startNs, long endNs, Sample sample, Checks checks)
        {
            long mergeStartNs = Clock.NowNs;
            int[] merged = Dearest(_best.SelectMany(best => best)).ToArray();
            long ns = endNs - startNs + (Clock.NowNs - mergeStartNs);
            sample.Add(_orders.Count, ns);
            sample.Latency(ns);
            checks.Require(
                "the dearest orders are those of one thread",
                merged.SequenceEqual(_expected),
                () => $"{string.Join(' ', merged)} in place of {string.Join(' ', _expected)}");
            // So that no answer of this repetition passes for one of the next.
            Array.Fill(_best, Array.Empty<int>());
        }

        private int[] Query(Range rows) => Dearest(
            Enumerable.Range(rows.Start.Value, rows.End.Value - rows.Start.Value)
                .Where(order => _orders.Customer[order] % EveryNthCustomer == 0))
            .ToArray();

        /// <summary>By price, and among equals by number, so that there is one right answer.</summary>
        private IEnumerable<int> Dearest(IEnumerable<int> orders) =>
            orders.OrderByDescending(order => _orders.Cents[order]).ThenBy(order => order).Take(Best);
    }
}
