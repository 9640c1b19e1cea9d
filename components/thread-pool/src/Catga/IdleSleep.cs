using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>
    /// How an idle worker sleeps: <c>Thread.Sleep</c> as upstream, or for a fraction of a millisecond what Linux
    /// offers. A sleep of 15.6 ms stands for <c>Thread.Sleep(1)</c> on Windows, whose timer ticks 64 times a second.
    /// </summary>
    internal sealed class IdleSleep
    {
        private const long NsPerMs = 1_000_000;
        private const long NsPerSecond = 1_000_000_000;

        private readonly int _wholeMs;
        private readonly TimeSpec? _exact;

        /// <param name="milliseconds">how long</param>
        public IdleSleep(double milliseconds)
        {
            _wholeMs = (int)Math.Round(milliseconds);
            if (_wholeMs != milliseconds && RuntimeInformation.IsOSPlatform(OSPlatform.Linux))
            {
                long ns = (long)(milliseconds * NsPerMs);
                _exact = new TimeSpec { Seconds = ns / NsPerSecond, Nanoseconds = ns % NsPerSecond };
            }
        }

        public void Once()
        {
            if (_exact is TimeSpec left)
            {
                // The runtime interrupts sleeps with signals of its own; what is left of the time is then in `left`.
                while (nanosleep(in left, out left) != 0)
                {
                }
            }
            else
            {
                Thread.Sleep(_wholeMs);
            }
        }

        [DllImport("libc")]
        private static extern int nanosleep(in TimeSpec time, out TimeSpec left);

        /// <summary>struct timespec of a 64-bit Linux.</summary>
        [StructLayout(LayoutKind.Sequential)]
        private struct TimeSpec
        {
            public long Seconds;
            public long Nanoseconds;
        }
    }
}
