using System;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>A way to get a batch through a pool. Used again for each batch, by one thread.</summary>
    internal abstract class Submission
    {
        /// <summary>A batch that has not ended by then never will.</summary>
        public static TimeSpan Limit { get; set; } = TimeSpan.FromSeconds(60);

        /// <summary>Submits all tasks.</summary>
        public abstract void Submit();

        /// <summary>Waits for all tasks to end.</summary>
        /// <returns>how many have not ended within <see cref="Limit"/></returns>
        public abstract int AwaitAll();

        /// <summary>The way that a run's parameters and its variant ask for.</summary>
        /// <param name="design">the variant</param>
        /// <param name="pool">what it made; null for a loop</param>
        /// <param name="settings">what it was made with</param>
        /// <param name="path"><c>task</c>, <c>result</c> or <c>struct</c></param>
        /// <param name="batch">the tasks</param>
        public static Submission For(
            PoolDesign design, IWorkPool? pool, PoolSettings settings, string path, IBatch batch)
        {
            if (pool == null)
            {
                return new LoopSubmission(design.CreateLoop(settings), batch);
            }

            if (design.Await != PoolDesign.Awaiting.ByPath)
            {
                return new ValueTaskSubmission((IValueTaskPool)pool, batch);
            }

            return path switch
            {
                "task" => new TaskSubmission(pool, batch),
                "result" => new ResultSubmission(pool, batch),
                _ => new StructSubmission(pool, batch),
            };
        }
    }
}
