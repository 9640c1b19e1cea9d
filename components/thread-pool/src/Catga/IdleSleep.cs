using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>
    /// How an idle worker sleeps: <c>Thread.Sleep</c> as upstream, or for a fraction of a millisecond, on Linux, until the
    /// next tick of a timer with that period. A period of 15.6 ms stands for <c>Thread.Sleep(1)</c> on Windows, whose timer
    /// ticks 64 times a second: all sleepers wake at the same tick, whenever each of them fell asleep.
    /// </summary>
    internal sealed class IdleSleep
    {
        private const long NsPerMs = 1_000_000;
        private const long NsPerSecond = 1_000_000_000;
        private const int ClockMonotonic = 1;
        private const int TimerAbsolute = 1;

        private readonly int _wholeMs;
        private readonly long _tickNs;

        /// <param name="milliseconds">how long, or the period of the ticks</param>
        public IdleSleep(double milliseconds)
        {
            _wholeMs = (int)Math.Round(milliseconds);
            bool ticks = _wholeMs != milliseconds && RuntimeInformation.IsOSPlatform(OSPlatform.Linux);
            _tickNs = ticks ? (long)(milliseconds * NsPerMs) : 0;
        }

        public void Once()
        {
            if (_tickNs == 0)
            {
                Thread.Sleep(_wholeMs);
                return;
            }

            // On Linux a timestamp is the monotonic clock in nanoseconds.
            long wakeNs = NextTick(Stopwatch.GetTimestamp(), _tickNs);
            var wake = new TimeSpec { Seconds = wakeNs / NsPerSecond, Nanoseconds = wakeNs % NsPerSecond };
            // The runtime interrupts sleeps with signals of its own.
            while (clock_nanosleep(ClockMonotonic, TimerAbsolute, in wake, IntPtr.Zero) != 0)
            {
            }
        }

        /// <summary>The first tick after <paramref name="nowNs"/>, in nanoseconds of the same clock.</summary>
        internal static long NextTick(long nowNs, long tickNs) => ((nowNs / tickNs) + 1) * tickNs;

        [DllImport("libc")]
        private static extern int clock_nanosleep(int clock, int flags, in TimeSpec time, IntPtr left);

        /// <summary>struct timespec of a 64-bit Linux.</summary>
        [StructLayout(LayoutKind.Sequential)]
        private struct TimeSpec
        {
            public long Seconds;
            public long Nanoseconds;
        }
    }
}
