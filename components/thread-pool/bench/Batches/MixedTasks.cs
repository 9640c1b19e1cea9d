using System;
using System.Linq;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// Tasks of three sizes in random order, as a server has them: 90 % short, 9 % medium, 1 % long. The latencies are
    /// those of the short ones, from submission to end: what a long task in front costs them.
    /// </summary>
    internal sealed class MixedTasks : IBatch
    {
        private readonly TaskLog _log;
        private readonly Load[] _loads;
        private readonly bool[] _short;
        private readonly long[] _values;

        /// <param name="count">how many</param>
        /// <param name="sizesUs">how long the short, the medium and the long ones take</param>
        /// <param name="random">draws their order</param>
        public MixedTasks(int count, int[] sizesUs, Random random)
        {
            _log = new TaskLog(count, stamps: true);
            Load[] sizes = sizesUs.Select(us => Load.Of("ns", us * 1_000)).ToArray();
            int[] drawn = Enumerable.Range(0, count)
                .Select(i => i * 100 / count)
                .Select(percent => percent < 90 ? 0 : percent < 99 ? 1 : 2)
                .OrderBy(size => random.Next())
                .ToArray();
            _loads = drawn.Select(size => sizes[size]).ToArray();
            _short = drawn.Select(size => size == 0).ToArray();
            _values = _loads.Select(load => load.Execute()).ToArray();
        }

        public int Count => _log.Count;

        public WorkPriority Submitting(int index)
        {
            _log.Submitting(index);
            return WorkPriority.Normal;
        }

        public long Execute(int index) => _log.Execute(index, _loads[index]);

        public void Record(long startNs, long endNs, Sample sample, Checks checks)
        {
            sample.Add(Count, endNs - startNs);
            for (int i = 0; i < Count; i++)
            {
                if (_short[i])
                {
                    sample.Latency(_log.LatencyNs(i));
                }
            }

            _log.CountTimes(startNs, sample);
            _log.Validate(_values, checks);
        }
    }
}
