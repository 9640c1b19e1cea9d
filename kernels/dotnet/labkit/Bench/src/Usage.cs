using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;

namespace Perflab.Bench
{
    /// <summary>The monotonic clock that scenarios keep.</summary>
    public static class Clock
    {
        private const long NsPerSecond = 1_000_000_000;

        /// <summary>
        /// Nanoseconds since some moment in the past. On Linux a tick of the underlying clock is one.
        /// </summary>
        public static long NowNs =>
            Stopwatch.Frequency == NsPerSecond
                ? Stopwatch.GetTimestamp()
                : (long)(Stopwatch.GetTimestamp() * ((double)NsPerSecond / Stopwatch.Frequency));

        /// <summary>Keeps the calling thread on its processor until a moment.</summary>
        /// <remarks>
        /// A sleep is no use for this: <c>Thread.Sleep</c> counts in milliseconds, and Linux lets a timer be late by
        /// another 50 us (PR_SET_TIMERSLACK in prctl(2)).
        /// </remarks>
        /// <returns>the clock when the moment had come, at or after <paramref name="timeNs"/></returns>
        public static long SpinUntil(long timeNs)
        {
            long nowNs = NowNs;
            while (nowNs < timeNs)
            {
                System.Threading.Thread.SpinWait(1);
                nowNs = NowNs;
            }

            return nowNs;
        }
    }

    /// <summary>
    /// What the process takes while a region lasts, put into a sample's counters: <c>allocated_bytes</c>, <c>gc</c>
    /// (collections of any generation), <c>cpu_ns</c>, <c>voluntary_switches</c> and <c>involuntary_switches</c>.
    /// </summary>
    /// <remarks>
    /// Bytes are exact, to which end the runtime stops all threads for a moment. That happens before the region's begin
    /// and after its end, so <see cref="Begin"/> and <see cref="End"/> belong around the clock's readings, not between
    /// them.
    /// </remarks>
    public sealed class UsageMeter
    {
        private long _bytes;
        private int _collections;
        private ProcessUsage _usage;

        /// <summary>Time on a processor so far of all threads but the calling one, in nanoseconds; 0 where the system does
        /// not tell.</summary>
        public static long OtherThreadsCpuNs => ProcessUsage.OtherThreadsCpuNs;

        public void Begin()
        {
            _collections = GC.CollectionCount(0);
            _bytes = GC.GetTotalAllocatedBytes(precise: true);
            _usage = ProcessUsage.Now();
        }

        public void End(Sample sample)
        {
            ProcessUsage usage = ProcessUsage.Now();
            long bytes = GC.GetTotalAllocatedBytes(precise: true);
            sample.Count("allocated_bytes", bytes - _bytes);
            sample.Count("gc", GC.CollectionCount(0) - _collections);
            sample.Count("cpu_ns", usage.CpuNs - _usage.CpuNs);
            sample.Count("voluntary_switches", usage.VoluntarySwitches - _usage.VoluntarySwitches);
            sample.Count("involuntary_switches", usage.InvoluntarySwitches - _usage.InvoluntarySwitches);
        }
    }

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

    /// <summary>What this process has used so far, all threads together.</summary>
    internal readonly struct ProcessUsage
    {
        private const int ProcessCpuTime = 2; // CLOCK_PROCESS_CPUTIME_ID in linux/time.h
        private const int ThreadCpuTime = 3; // CLOCK_THREAD_CPUTIME_ID
        private const int Self = 0; // RUSAGE_SELF in sys/resource.h
        private const long NsPerSecond = 1_000_000_000;

        private static readonly bool s_hasLinuxCalls =
            RuntimeInformation.IsOSPlatform(OSPlatform.Linux) && IntPtr.Size == sizeof(long);

        private ProcessUsage(long cpuNs, long voluntary, long involuntary) =>
            (CpuNs, VoluntarySwitches, InvoluntarySwitches) = (cpuNs, voluntary, involuntary);

        /// <summary>Time on a processor, in nanoseconds; exact to the nanosecond on Linux.</summary>
        public long CpuNs { get; }

        /// <summary>How often a thread went to sleep; 0 where the system does not tell.</summary>
        public long VoluntarySwitches { get; }

        /// <summary>How often a thread was taken off its processor; 0 where the system does not tell.</summary>
        public long InvoluntarySwitches { get; }

        /// <summary>Time on a processor of all threads but the calling one, in nanoseconds; 0 where the system does not tell.
        /// Allocates nothing.</summary>
        public static long OtherThreadsCpuNs => s_hasLinuxCalls ? CpuTime(ProcessCpuTime) - CpuTime(ThreadCpuTime) : 0;

        /// <summary>Allocates nothing on Linux.</summary>
        public static ProcessUsage Now()
        {
            if (!s_hasLinuxCalls)
            {
                using Process process = Process.GetCurrentProcess();
                return new ProcessUsage(process.TotalProcessorTime.Ticks * 100, 0, 0);
            }

            return getrusage(Self, out ResourceUsage usage) == 0
                ? new ProcessUsage(CpuTime(ProcessCpuTime), usage.Voluntary, usage.Involuntary)
                : throw Untold();
        }

        private static long CpuTime(int clock) => clock_gettime(clock, out TimeSpec time) == 0
            ? (time.Seconds * NsPerSecond) + time.Nanoseconds
            : throw Untold();

        private static InvalidOperationException Untold() =>
            new InvalidOperationException("the system does not tell what the process uses");

        [DllImport("libc")]
        private static extern int clock_gettime(int clock, out TimeSpec time);

        [DllImport("libc")]
        private static extern int getrusage(int who, out ResourceUsage usage);

        /// <summary>struct timespec of a 64-bit Linux.</summary>
        [StructLayout(LayoutKind.Sequential)]
        private readonly struct TimeSpec
        {
            public readonly long Seconds;
            public readonly long Nanoseconds;
        }

        /// <summary>
        /// struct rusage of a 64-bit Linux: two struct timeval, then fourteen longs, the last two of interest.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 144)]
        private readonly struct ResourceUsage
        {
            [FieldOffset(128)]
            public readonly long Voluntary;

            [FieldOffset(136)]
            public readonly long Involuntary;
        }
    }
}
