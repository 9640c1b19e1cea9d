using System;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>Processor time of this process, all threads together.</summary>
    internal static class ProcessorTime
    {
        /// <summary>CLOCKS_PER_SEC, a million on every system that follows POSIX.</summary>
        private const double TicksPerSecond = 1_000_000;

        /// <summary>In seconds. Where there is a C library by POSIX it is one system call; Process reads and parses a
        /// file.</summary>
        internal static double Seconds
        {
            get
            {
                if (!RuntimeInformation.IsOSPlatform(OSPlatform.Windows))
                {
                    return Clock().ToInt64() / TicksPerSecond;
                }

                using (Process process = Process.GetCurrentProcess())
                {
                    return process.TotalProcessorTime.TotalSeconds;
                }
            }
        }

        [DllImport("libc", EntryPoint = "clock")]
        private static extern IntPtr Clock();
    }
}
