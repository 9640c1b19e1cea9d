using System.Diagnostics;
using System.Threading;

namespace Perflab.ThreadPools
{
    /// <summary>How long one thread has slept so far. The thread writes, any thread reads.</summary>
    public sealed class RestClock
    {
        private const long NsPerSecond = 1_000_000_000;

        // One word, so that no reader sees it half changed: the time slept, and while the thread sleeps, that less the
        // moment at which it fell asleep. The clock counts from the machine's start, and no process sleeps longer than
        // that: the word is negative just while the thread sleeps.
        private long _ticks;

        /// <summary>Whether the thread sleeps at this moment.</summary>
        public bool IsRunning => Volatile.Read(ref _ticks) < 0;

        /// <summary>Nanoseconds, those of the sleep that has not ended included.</summary>
        public long AsleepNs
        {
            get
            {
                long ticks = Volatile.Read(ref _ticks);
                long slept = ticks < 0 ? ticks + Stopwatch.GetTimestamp() : ticks;
                return (long)(slept * ((double)NsPerSecond / Stopwatch.Frequency));
            }
        }

        public void Begin() => Volatile.Write(ref _ticks, _ticks - Stopwatch.GetTimestamp());

        public void End() => Volatile.Write(ref _ticks, _ticks + Stopwatch.GetTimestamp());
    }
}
