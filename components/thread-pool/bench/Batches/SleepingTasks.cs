using System.Threading;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>Tasks that block their thread, as one does that waits for a disk or a lock.</summary>
    internal sealed class SleepingTasks : IBatch
    {
        private readonly TaskLog _log;
        private readonly int _sleepMs;
        private readonly long[] _values;

        public SleepingTasks(int count, int sleepMs)
        {
            _log = new TaskLog(count, stamps: false);
            _sleepMs = sleepMs;
            _values = new long[count];
        }

        public int Count => _log.Count;

        public WorkPriority Submitting(int index) => WorkPriority.Normal;

        public long Execute(int index)
        {
            Thread.Sleep(_sleepMs);
            return _log.Execute(index, default);
        }

        public void Record(long startNs, long endNs, Sample sample, Checks checks)
        {
            sample.Add(Count, endNs - startNs);
            sample.Latency(endNs - startNs);
            _log.Validate(_values, checks);
        }
    }
}
