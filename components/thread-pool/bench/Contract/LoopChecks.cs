using System;
using System.Linq;
using System.Threading;
using Perflab.ThreadPools.Measured;
using static Perflab.Bench.ContractException;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>The contract of <see cref="IParallelPool"/>.</summary>
    internal static class LoopChecks
    {
        public static void Numbers(PoolDesign design)
        {
            IParallelPool loop = design.CreateLoop(new PoolSettings());
            foreach (int count in new[] { 0, 1, 2, 10_000 })
            {
                var calls = new int[count];
                loop.ForEach(count, number => Interlocked.Increment(ref calls[number]));
                Require(calls.All(times => times == 1), $"of {count} numbers one came not at all or twice");
            }
        }

        public static void Exceptions(PoolDesign design)
        {
            IParallelPool loop = design.CreateLoop(new PoolSettings());
            FailureChecks.RequireThrows<AggregateException>(
                () => loop.ForEach(10, number => throw new InvalidOperationException("on purpose")));
        }
    }
}
