using System.Linq;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>Tasks that all do the same load.</summary>
    internal sealed class EqualTasks : IBatch
    {
        private readonly TaskLog _log;
        private readonly Load _load;
        private readonly long[] _values;

        public EqualTasks(int count, in Load load, bool stamps)
        {
            _log = new TaskLog(count, stamps);
            _load = load;
            _values = Enumerable.Repeat(load.Execute(), count).ToArray();
        }

        public int Count => _log.Count;

        public WorkPriority Submitting(int index)
        {
            _log.Submitting(index);
            return WorkPriority.Normal;
        }

        public long Execute(int index) => _log.Execute(index, _load);

        public void Record(long startNs, long endNs, Sample sample, Checks checks)
        {
            sample.Add(Count, endNs - startNs);
            sample.Latency(endNs - startNs);
            _log.CountTimes(startNs, sample);
            _log.Validate(_values, checks);
        }
    }
}
