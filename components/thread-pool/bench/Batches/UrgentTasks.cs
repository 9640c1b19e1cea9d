using System;
using System.Linq;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// Tasks of low priority and, behind them or between them, tasks of high priority. One operation is the batch; the
    /// counter <c>urgent_ns</c> is the time until the last of the high ones has ended.
    /// </summary>
    internal sealed class UrgentTasks : IBatch
    {
        private readonly TaskLog _log;
        private readonly WorkPriority[] _priorities;
        private readonly Load _low;
        private readonly Load _high;
        private readonly long[] _values;

        public UrgentTasks(WorkPriority[] priorities, in Load low, in Load high)
        {
            _log = new TaskLog(priorities.Length, stamps: true);
            (_priorities, _low, _high) = (priorities, low, high);
            long lowValue = low.Execute();
            long highValue = high.Execute();
            _values = priorities.Select(priority => priority == WorkPriority.High ? highValue : lowValue).ToArray();
        }

        public int Count => _log.Count;

        public WorkPriority Submitting(int index)
        {
            _log.Submitting(index);
            return _priorities[index];
        }

        public long Execute(int index) =>
            _log.Execute(index, _priorities[index] == WorkPriority.High ? _high : _low);

        public void Record(long startNs, long endNs, Sample sample, Checks checks)
        {
            long urgentNs = 0;
            for (int i = 0; i < Count; i++)
            {
                if (_priorities[i] == WorkPriority.High)
                {
                    urgentNs = Math.Max(urgentNs, _log.EndedNs(i) - startNs);
                    sample.Latency(_log.LatencyNs(i));
                }
            }

            sample.Add(1, endNs - startNs); // as long as the other counters count
            sample.Count("urgent_ns", urgentNs);
            _log.CountTimes(startNs, sample);
            _log.Validate(_values, checks);
        }
    }
}
