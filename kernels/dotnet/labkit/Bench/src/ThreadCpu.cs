using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>CPU time of this process's threads, without the one that measures and the runtime's compiler.</summary>
    /// <remarks>
    /// The runtime compiles hot methods anew on a thread of its own, for seconds after the start: up to 2 % of a core,
    /// where a pool that truly idles takes less than a hundredth of that.
    /// </remarks>
    public static class ThreadCpu
    {
        private const string Tasks = "/proc/self/task";

        // As the kernel keeps it, in 15 characters.
        private const string Compiler = ".NET Tiered Com";

        // Linux gives the main thread the number of the process.
        private static readonly string s_mainThread =
            Process.GetCurrentProcess().Id.ToString(CultureInfo.InvariantCulture);

        private static readonly bool s_isKnownByThread = File.Exists("/proc/self/schedstat");

        /// <summary>
        /// Nanoseconds on a processor so far of all threads alive but the main one, which is to be the one that asks, and
        /// the compiler's; of the whole process where the system does not tell threads apart. Reads files, and allocates.
        /// </summary>
        public static long OfOthersNs => s_isKnownByThread
            ? Directory.GetDirectories(Tasks).Where(IsAnother).Sum(OnProcessorNs)
            : ProcessUsage.Now().CpuNs;

        private static bool IsAnother(string thread) =>
            Path.GetFileName(thread) != s_mainThread && Read(thread, "comm").TrimEnd() != Compiler;

        /// <summary>The first field of schedstat.</summary>
        private static long OnProcessorNs(string thread)
        {
            string text = Read(thread, "schedstat");
            int end = text.IndexOf(' ', StringComparison.Ordinal);
            return end < 0 ? 0 : long.Parse(text.AsSpan(0, end), NumberStyles.None, CultureInfo.InvariantCulture);
        }

        private static string Read(string thread, string file)
        {
            try
            {
                return File.ReadAllText(Path.Combine(thread, file));
            }
            catch (IOException)
            {
                return ""; // the thread has ended since the directory was listed
            }
        }
    }
}
