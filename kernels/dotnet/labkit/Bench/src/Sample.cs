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
}
