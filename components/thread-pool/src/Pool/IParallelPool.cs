using System;

namespace Perflab.ThreadPools
{
    /// <summary>
    /// Something that executes a known number of independent tasks at once and returns when all are done.
    /// </summary>
    public interface IParallelPool
    {
        /// <summary>
        /// Calls <paramref name="body"/> once with each number from 0 to below <paramref name="count"/>.
        /// </summary>
        /// <exception cref="AggregateException">One of the calls threw.</exception>
        void ForEach(int count, Action<int> body);
    }
}
