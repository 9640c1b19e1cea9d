using System;
using System.Linq;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// What observing costs when it is off, read from the machine code: there is none. A measurement could only say
    /// that it is less than the noise.
    /// </summary>
    public sealed class UnobservedCodeTest
    {
        private const string Optimised = "(Tier1)";

        [Fact]
        public void TheOptimisedCodeOfAPoolThatNobodyObservesKnowsNoEvents()
        {
            string[] methods = OptimisedCode("off");
            Assert.True(methods.Length > 0, "no optimised method was listed; runtimes before .NET 7 cannot");
            Assert.Equal(string.Empty, string.Join("\n", methods.Where(MentionsEvents)));
        }

        [Fact]
        public void TheSameCodeWithTheSwitchOnDoes() => Assert.True(OptimisedCode("on").Any(MentionsEvents));

        private static bool MentionsEvents(string method) => method.Contains(nameof(PoolEvents), StringComparison.Ordinal);

        /// <summary>Of what a busy pool runs per task.</summary>
        private static string[] OptimisedCode(string observability) => MachineCode
            .Of(
                "*LabPool:Run *LabPool:Execute",
                $"--scenario burst --variant lab --param observability={observability}")
            .Where(method => method.Split('\n')[0].Contains(Optimised, StringComparison.Ordinal))
            .ToArray();
    }
}
