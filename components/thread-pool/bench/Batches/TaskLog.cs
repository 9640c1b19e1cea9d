using System.Linq;
using System.Runtime.InteropServices;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// What each task of a batch wrote down: how often it ran, what came of it, and if asked for, when.
    /// </summary>
    /// <remarks>
    /// No task shares a cache line with another, so that neighbours on different threads do not slow each other down,
    /// and none shares a counter: that would measure the counter.
    /// </remarks>
    internal sealed class TaskLog
    {
        private readonly Entry[] _entries;
        private readonly bool _stamps;
        private long _batches;

        public TaskLog(int count, bool stamps) => (_entries, _stamps) = (new Entry[count], stamps);

        public int Count => _entries.Length;

        public void Submitting(int index)
        {
            if (_stamps)
            {
                _entries[index].SubmittedNs = Clock.NowNs;
            }
        }

        /// <summary>Does a task's load and writes it down.</summary>
        public long Execute(int index, in Load load)
        {
            ref Entry entry = ref _entries[index];
            if (_stamps)
            {
                entry.BegunNs = Clock.NowNs;
            }

            long value = load.Execute();
            entry.Runs++;
            entry.Sum += value;
            if (_stamps)
            {
                entry.EndedNs = Clock.NowNs;
            }

            return value;
        }

        /// <summary>From submission to end, in nanoseconds. Only with stamps.</summary>
        public long LatencyNs(int index) => _entries[index].EndedNs - _entries[index].SubmittedNs;

        public long EndedNs(int index) => _entries[index].EndedNs;

        /// <summary>Demands that every task of one more batch has run once and brought the right value.</summary>
        /// <param name="values">what each task's load has for a value</param>
        public void Validate(long[] values, Checks checks)
        {
            _batches++;
            int wrong = -1;
            for (int i = 0; i < _entries.Length && wrong < 0; i++)
            {
                wrong = _entries[i].Runs == _batches && _entries[i].Sum == unchecked(_batches * values[i]) ? -1 : i;
            }

            checks.Require(
                "every task ran exactly once, and the sums are right",
                wrong < 0,
                () => $"task {wrong} ran {_entries[wrong].Runs} times in {_batches} batches, "
                    + $"its sum is {_entries[wrong].Sum} and {values[wrong]} is due for each");
        }

        /// <summary>Where a batch's time went. Only with stamps.</summary>
        /// <param name="startNs">just before the first submission</param>
        public void CountTimes(long startNs, Sample sample)
        {
            if (!_stamps)
            {
                return;
            }

            sample.Count("queued_ns", _entries.Sum(entry => entry.BegunNs - entry.SubmittedNs));
            sample.Count("working_ns", _entries.Sum(entry => entry.EndedNs - entry.BegunNs));
            sample.Count("first_start_ns", _entries.Min(entry => entry.BegunNs) - startNs);
        }

        /// <summary>Twice as long as a cache line of every processor that the lab has seen: an array begins at any
        /// multiple of 8, so entries as long as a line would reach into that of a neighbour.</summary>
        [StructLayout(LayoutKind.Sequential, Size = 128)]
        internal struct Entry
        {
            public long Runs;
            public long Sum;
            public long SubmittedNs;
            public long BegunNs;
            public long EndedNs;
        }
    }
}
