namespace Perflab.ThreadPools
{
    /// <summary>What becomes of the tasks that no thread has begun when a pool is shut down.</summary>
    public enum ShutdownMode
    {
        /// <summary>They are executed first.</summary>
        Drain,

        /// <summary>
        /// They are not executed: the tasks of <c>RunAsync</c> end as cancelled, the others are dropped.
        /// </summary>
        Cancel,
    }
}
