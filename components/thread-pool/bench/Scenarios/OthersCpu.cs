using System;
using System.Runtime.InteropServices;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>Processor time of this process without the calling thread.</summary>
    internal static class OthersCpu
    {
        // linux/time.h
        private const int ProcessCpuTime = 2;
        private const int ThreadCpuTime = 3;

        private static readonly bool s_isKnown =
            RuntimeInformation.IsOSPlatform(OSPlatform.Linux) && IntPtr.Size == sizeof(long);

        /// <summary>In nanoseconds; 0 where the system does not tell. Allocates nothing.</summary>
        public static long Ns => s_isKnown ? Read(ProcessCpuTime) - Read(ThreadCpuTime) : 0;

        private static long Read(int clock)
        {
            const long NsPerSecond = 1_000_000_000;
            return clock_gettime(clock, out TimeSpec time) == 0
                ? (time.Seconds * NsPerSecond) + time.Nanoseconds
                : throw new InvalidOperationException("the system does not tell processor time");
        }

        [DllImport("libc")]
        private static extern int clock_gettime(int clock, out TimeSpec time);

        /// <summary>struct timespec of a 64-bit Linux.</summary>
        [StructLayout(LayoutKind.Sequential)]
        private readonly struct TimeSpec
        {
            public readonly long Seconds;
            public readonly long Nanoseconds;
        }
    }
}
