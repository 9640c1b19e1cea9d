using System;

namespace Perflab.Bench
{
    /// <summary>What a scenario is run with.</summary>
    public sealed class Setting
    {
        public Setting(Parameters parameters, long seed, Checks checks) =>
            (Parameters, Seed, Checks) = (parameters, seed, checks);

        /// <summary>The values of its parameters.</summary>
        public Parameters Parameters { get; }

        /// <summary>From <c>--seed</c>.</summary>
        public long Seed { get; }

        /// <summary>Where it records what it validated.</summary>
        public Checks Checks { get; }

        /// <summary>
        /// A new generator; two of them from one setting give the same numbers, on every version of .NET.
        /// </summary>
        public Random Random() => new Random(Seed.GetHashCode());
    }
}
