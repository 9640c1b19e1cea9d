using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

/// <summary>One thread spins, one naps, and the main thread waits for both; for as many milliseconds as the argument says.</summary>
internal static class Waiting
{
    private static readonly Stopwatch s_clock = Stopwatch.StartNew();
    private static long s_spun;

    private static void Main(string[] args)
    {
        long milliseconds = long.Parse(args[0]);
        var threads = new[]
        {
            new Thread(() => Spin(milliseconds)) { Name = "spinner 1" },
            new Thread(() => Nap(milliseconds)) { Name = "napper 1" },
        };
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        Console.WriteLine("{\"type\": \"end\"}");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Spin(long milliseconds)
    {
        while (s_clock.ElapsedMilliseconds < milliseconds)
        {
            s_spun++;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Nap(long milliseconds)
    {
        while (s_clock.ElapsedMilliseconds < milliseconds)
        {
            // Straight into the C library, where a call from within it would hide the frames above.
            nanosleep(new TimeSpec { Nanoseconds = 5_000_000 }, IntPtr.Zero);
        }
    }

    [DllImport("libc")]
    private static extern int nanosleep(in TimeSpec time, IntPtr left);

    [StructLayout(LayoutKind.Sequential)]
    private struct TimeSpec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
