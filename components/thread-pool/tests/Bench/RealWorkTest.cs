using System;
using System.Linq;
using Perflab.Testing;

namespace Perflab.ThreadPools.Measured
{
    public sealed class RealWorkTest
    {
        /// <summary>Forbidden: work that is compiled anew while it is being measured, and takes another time in each
        /// process for that.</summary>
        [Theory]
        [InlineData("*ImageFilter:Blur*", 2, "--scenario image-filter")]
        [InlineData("*Load:Squares", 1, "--scenario cpu-bound --param work=squares --param amount=1000")]
        [InlineData("*Load:Sum", 1, "--scenario cpu-bound --param work=sum --param amount=100")]
        [InlineData("*Load:Steps", 1, "--scenario burst")]
        public void WhatATaskComputesIsCompiledOnceWithAllOptimisations(string methods, int count, string scenario)
        {
            string[] compiled = MachineCode.Of(methods, $"{scenario} --variant dedicated")
                .Select(listing => listing.Split('\n')[0].Trim())
                .ToArray();
            Assert.True(
                compiled.Length == count && !compiled.Any(one => one.Contains("Tier0", StringComparison.Ordinal)),
                $"{count} methods were compiled like this: {string.Join("; ", compiled)}");
        }
    }
}
