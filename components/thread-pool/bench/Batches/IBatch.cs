using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>A known number of numbered tasks, submitted together.</summary>
    internal interface IBatch
    {
        int Count { get; }

        /// <summary>Called by the submitting thread just before a task is submitted.</summary>
        /// <returns>how urgent the task is</returns>
        WorkPriority Submitting(int index);

        /// <summary>The task; called by the pool.</summary>
        /// <returns>a value that depends on what was done</returns>
        long Execute(int index);

        /// <summary>
        /// Records a batch that has ended, and validates it. All that the tasks wrote can be read.
        /// </summary>
        /// <param name="startNs">just before the first submission</param>
        /// <param name="endNs">when the clock was stopped</param>
        /// <param name="sample">where it goes</param>
        /// <param name="checks">where the validation goes</param>
        void Record(long startNs, long endNs, Sample sample, Checks checks);
    }
}
