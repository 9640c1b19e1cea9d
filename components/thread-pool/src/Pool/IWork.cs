namespace Perflab.ThreadPools
{
    /// <summary>
    /// A task without a result. As a struct it can pass through a pool that keeps it by value without a byte on the
    /// heap.
    /// </summary>
    public interface IWork
    {
        /// <summary>Does the work; called once, by some thread of the pool.</summary>
        void Execute();
    }
}
