using System;
using System.Threading;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// Lets one thread wait for a number of tasks, again and again, without a byte on the heap. The waiting thread
    /// sleeps at once: a spin would take a processor from the pool.
    /// </summary>
    internal sealed class Countdown
    {
        private readonly ManualResetEventSlim _done = new ManualResetEventSlim(false, spinCount: 0);
        private int _left;

        /// <summary>How many tasks have not ended.</summary>
        public int Left => Volatile.Read(ref _left);

        public void Start(int count)
        {
            _done.Reset();
            Volatile.Write(ref _left, count);
        }

        public void Signal()
        {
            if (Interlocked.Decrement(ref _left) == 0)
            {
                _done.Set();
            }
        }

        /// <returns>how many tasks have not ended in time</returns>
        public int Wait(TimeSpan limit)
        {
            // What comes too late finds the event and no longer this wait: the run ends with an error.
            _done.Wait(limit);
            return Left;
        }
    }
}
