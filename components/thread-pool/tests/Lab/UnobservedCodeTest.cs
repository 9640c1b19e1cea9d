using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
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
        private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);

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

        /// <summary>The listings of what a busy pool runs per task, by the runtime's own disassembler.</summary>
        private static string[] OptimisedCode(string observability)
        {
            string listing = Path.GetTempFileName();
            try
            {
                string tests = Path.Combine(AppContext.BaseDirectory, "ThreadPoolTests.runtimeconfig.json");
                string bench = Path.Combine(AppContext.BaseDirectory, "ThreadPoolBench.dll");
                string run = "run --scenario burst --variant lab --warmup-ms 500 --samples 1"
                    + $" --param observability={observability}";
                var start = new ProcessStartInfo(Dotnet(), $"exec --runtimeconfig \"{tests}\" \"{bench}\" {run}");
                start.RedirectStandardOutput = true;
                start.Environment["DOTNET_JitDisasm"] = "*LabPool:Run *LabPool:Execute";
                start.Environment["DOTNET_JitStdOutFile"] = listing;
                using Process process = Process.Start(start)!;
                process.StandardOutput.ReadToEnd();
                Assert.True(process.WaitForExit((int)s_patience.TotalMilliseconds), "the bench program did not end");
                return File.ReadAllText(listing)
                    .Split("; Assembly listing for method ")
                    .Where(method => method.Split('\n')[0].Contains(Optimised, StringComparison.Ordinal))
                    .ToArray();
            }
            finally
            {
                File.Delete(listing);
            }
        }

        private static string Dotnet() => Process.GetCurrentProcess().MainModule!.FileName!;
    }
}
