using System;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Perflab.Bench
{
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
