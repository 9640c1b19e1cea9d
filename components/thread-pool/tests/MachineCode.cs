using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Perflab.Testing;

namespace Perflab.ThreadPools
{
    /// <summary>What the runtime makes of methods while the bench program runs, by its own disassembler.</summary>
    internal static class MachineCode
    {
        private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);

        /// <returns>A listing for each time that one of the methods was compiled. Its first line has the method and how,
        /// as in <c>(Tier1)</c>. None on runtimes before .NET 7.</returns>
        public static string[] Of(string methods, string arguments)
        {
            string listing = Path.GetTempFileName();
            try
            {
                string tests = Path.Combine(AppContext.BaseDirectory, "ThreadPoolTests.runtimeconfig.json");
                string bench = Path.Combine(AppContext.BaseDirectory, "ThreadPoolBench.dll");
                string run = $"run --warmup-ms 500 --samples 1 {arguments}";
                var start = new ProcessStartInfo(Dotnet(), $"exec --runtimeconfig \"{tests}\" \"{bench}\" {run}");
                start.RedirectStandardOutput = true;
                start.Environment["DOTNET_JitDisasm"] = methods;
                start.Environment["DOTNET_JitStdOutFile"] = listing;
                using Process process = Process.Start(start)!;
                process.StandardOutput.ReadToEnd();
                Assert.True(process.WaitForExit((int)s_patience.TotalMilliseconds), "the bench program did not end");
                return File.ReadAllText(listing).Split("; Assembly listing for method ").Skip(1).ToArray();
            }
            finally
            {
                File.Delete(listing);
            }
        }

        private static string Dotnet() => Process.GetCurrentProcess().MainModule!.FileName!;
    }
}
