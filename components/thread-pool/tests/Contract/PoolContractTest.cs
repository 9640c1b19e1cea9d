using System;
using System.Collections.Generic;
using System.Linq;
using Perflab.Bench;
using Perflab.Testing;
using Perflab.ThreadPools.Measured;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>Every variant against the contract. Those with a known defect have to show it, and no other.</summary>
    public sealed class PoolContractTest
    {
        private const int LimitMs = 60_000;

        [Theory(Timeout = 600_000)]
        [InlineData("catga-before", PoolContract.OutsideBehindInside)]
        [InlineData("catga-after", PoolContract.OutsideBehindInside)]
        [InlineData("catga-unitask", PoolContract.OutsideBehindInside)]
        [InlineData("dotnet", PoolContract.OutsideBehindInside)]
        [InlineData("dotnet-parallel", null!)]
        [InlineData("dedicated", null!)]
        [InlineData("lab", null!)]
        public void AVariantBreaksWhatItIsKnownToBreakAndNothingElse(string variant, string broken)
        {
            PoolDesign design = AllVariants.List().Single(one => one.Name == variant).Subject;
            string[] failures = PoolContract.ChecksOf(design)
                .Select(check => Failure(check, design))
                .OfType<string>()
                .ToArray();
            Assert.Equal(
                new[] { broken }.OfType<string>(), failures.Select(failure => failure.Split(':')[0]));
        }

        [Fact]
        public void EveryStatementIsAboutSomeVariant()
        {
            List<Variant<PoolDesign>> variants = AllVariants.List().ToList();
            Assert.Empty(PoolContract.Checks()
                .Where(check => !variants.Any(variant => check.AppliesTo(variant.Subject)))
                .Select(check => check.Name));
        }

        private static string? Failure(Check<PoolDesign> check, PoolDesign design)
        {
            try
            {
                check.Run(design, LimitMs);
                return null;
            }
            catch (Exception evidence)
            {
                return $"{check.Name}: {evidence}";
            }
        }
    }
}
