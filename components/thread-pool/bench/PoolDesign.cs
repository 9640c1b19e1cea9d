using System;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>What a variant hands to scenarios: how to make one, and what it can do.</summary>
    public sealed class PoolDesign
    {
        private readonly Func<PoolSettings, IWorkPool>? _pool;
        private readonly Func<PoolSettings, IParallelPool>? _loop;

        private PoolDesign(
            Func<PoolSettings, IWorkPool>? pool, Func<PoolSettings, IParallelPool>? loop, bool ownsThreads) =>
            (_pool, _loop, OwnsThreads) = (pool, loop, ownsThreads);

        /// <summary>How tasks are awaited where a scenario leaves that to the variant.</summary>
        public enum Awaiting
        {
            /// <summary>As the parameter <c>path</c> says.</summary>
            ByPath,

            /// <summary>By value tasks, to their end.</summary>
            ValueTasks,

            /// <summary>By value tasks that nobody awaits while the clock runs, as in the report's benchmark.</summary>
            NotMeasured,
        }

        /// <summary>Whether its threads are its own, and end with it.</summary>
        public bool OwnsThreads { get; }

        public Awaiting Await { get; private set; } = Awaiting.ByPath;

        /// <summary>Whether it only executes what is known beforehand as a whole.</summary>
        public bool IsLoop => _loop != null;

        public static PoolDesign OfPool(Func<PoolSettings, IWorkPool> create) => new PoolDesign(create, null, true);

        /// <summary>A pool on threads that the process shares.</summary>
        public static PoolDesign OfSharedPool(Func<PoolSettings, IWorkPool> create) =>
            new PoolDesign(create, null, false);

        public static PoolDesign OfLoop(Func<PoolSettings, IParallelPool> create) =>
            new PoolDesign(null, create, false);

        public static PoolDesign OfValueTasks(Func<PoolSettings, IValueTaskPool> create, Awaiting awaiting) =>
            new PoolDesign(create, null, true) { Await = awaiting };

        public IWorkPool CreatePool(PoolSettings settings) =>
            _pool?.Invoke(settings) ?? throw new InvalidOperationException("this variant is a loop, not a pool");

        public IParallelPool CreateLoop(PoolSettings settings) =>
            _loop?.Invoke(settings) ?? throw new InvalidOperationException("this variant is a pool, not a loop");
    }
}
