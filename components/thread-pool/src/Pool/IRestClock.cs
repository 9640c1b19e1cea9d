namespace Perflab.ThreadPools
{
    /// <summary>A pool that knows how long its threads have slept for want of work.</summary>
    public interface IRestClock
    {
        /// <summary>
        /// Nanoseconds that all threads together have slept so far, those that sleep at this moment included. A thread
        /// that spins or yields is not asleep.
        /// </summary>
        long AsleepNs { get; }
    }
}
