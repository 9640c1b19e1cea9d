using System;
using System.Collections.Generic;

namespace Perflab.Bench
{
    /// <summary>
    /// One measurement in the making: operations, their time, latencies and counters. Used by one thread.
    /// </summary>
    public sealed class Sample
    {
        private readonly Latencies _latencies = new Latencies();
        private readonly SortedDictionary<string, long> _counters =
            new SortedDictionary<string, long>(StringComparer.Ordinal);

        internal double Ops { get; private set; }

        internal long Ns { get; private set; }

        /// <summary>Adds a timed region.</summary>
        /// <param name="operations">how many operations it held, above zero</param>
        /// <param name="nanoseconds">how long it took, above zero</param>
        public void Add(double operations, long nanoseconds)
        {
            if (!(operations > 0) || nanoseconds <= 0)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(operations), $"{operations} operations in {nanoseconds} ns");
            }

            Ops += operations;
            Ns += nanoseconds;
        }

        /// <summary>Records one latency in nanoseconds.</summary>
        public void Latency(long nanoseconds) => _latencies.Add(nanoseconds);

        /// <summary>Adds to a counter. A counter that stays at zero appears too once zero was added.</summary>
        public void Count(string counter, long amount) =>
            _counters[counter] = _counters.TryGetValue(counter, out long before) ? before + amount : amount;

        internal Dictionary<string, object> ToJson(int index)
        {
            var line = new Dictionary<string, object>
            {
                ["type"] = "sample",
                ["i"] = index,
                ["ops"] = ProtocolWriter.Shortest(Ops),
                ["ns"] = Ns,
            };
            if (_latencies.Count > 0)
            {
                line["percentiles"] = _latencies.Percentiles();
            }

            if (_counters.Count > 0)
            {
                line["counters"] = _counters;
            }

            return line;
        }
    }

    /// <summary>
    /// Latencies as they were recorded, all of them, and percentiles of them by the nearest rank: the smallest latency
    /// that at least so many per cent do not exceed. Used by one thread.
    /// </summary>
    /// <remarks>
    /// HdrHistogram, which the lab's JVM programs use, is not among the packages that every machine reaches. Eight
    /// bytes for each latency are affordable for the length of a sample, and exact.
    /// </remarks>
    internal sealed class Latencies
    {
        private static readonly (string Name, double Percent)[] s_ladder =
        {
            ("p0", 0), ("p50", 50), ("p75", 75), ("p90", 90), ("p95", 95), ("p99", 99), ("p99.9", 99.9),
            ("p99.99", 99.99), ("max", 100),
        };

        private long[] _nanoseconds = new long[256];
        private int _count;

        public int Count => _count;

        public void Add(long nanoseconds)
        {
            if (_count == _nanoseconds.Length)
            {
                Array.Resize(ref _nanoseconds, 2 * _count);
            }

            _nanoseconds[_count++] = Math.Max(0, nanoseconds);
        }

        public Dictionary<string, object> Percentiles()
        {
            Array.Sort(_nanoseconds, 0, _count);
            var percentiles = new Dictionary<string, object>();
            foreach ((string name, double percent) in s_ladder)
            {
                percentiles[name] = _nanoseconds[Rank(percent, _count) - 1];
            }

            return percentiles;
        }

        /// <summary>From 1 to the count.</summary>
        internal static int Rank(double percent, int count)
        {
            // 99.9 % of 1000 is 999.0000000000001 in binary: what rounding added must not cost a rank.
            const double Rounding = 1e-9;
            return Math.Max(1, (int)Math.Ceiling((percent / 100 * count) - (Rounding * count)));
        }
    }
}
