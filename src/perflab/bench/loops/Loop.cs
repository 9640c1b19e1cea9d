// Calls a function over and over: `Loop NAME WARMUP_MS SAMPLE_MS SAMPLES`.
//
// Each sample is a line: how many calls, their nanoseconds, and the bytes that they allocated. See functions.py. The function
// is called through a delegate, and the program runs without the profiles by which .NET would inline one: a call can
// neither be left out nor taken out of the loop.

using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

internal sealed class PerflabLoop
{
    /// <summary>Of calls between two looks at the clock, in nanoseconds.</summary>
    private const double ShortestNs = 1e6;

    private readonly double _warmupNs;
    private readonly double _sampleNs;
    private readonly int _samples;

    private PerflabLoop(string[] words)
    {
        _warmupNs = long.Parse(words[1]) * 1e6;
        _sampleNs = long.Parse(words[2]) * 1e6;
        _samples = int.Parse(words[3]);
    }

    public static int Main(string[] words)
    {
        new Functions().PerflabRun(words[0], new PerflabLoop(words));
        return 0;
    }

    public void Measure(Action function) => Measure(calls => Time(function, calls));

    public void Measure<T>(Func<T> function) => Measure(calls => Time(function, calls));

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static long Time(Action function, long calls)
    {
        long begun = Stopwatch.GetTimestamp();
        for (long call = 0; call < calls; call++)
        {
            function();
        }

        return Stopwatch.GetTimestamp() - begun;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static long Time<T>(Func<T> function, long calls)
    {
        long begun = Stopwatch.GetTimestamp();
        for (long call = 0; call < calls; call++)
        {
            function();
        }

        return Stopwatch.GetTimestamp() - begun;
    }

    private void Measure(Func<long, long> time)
    {
        double tick = 1e9 / Stopwatch.Frequency;
        long calls = 1;
        for (double warm = 0; ;)
        {
            double took = time(calls) * tick;
            warm += took;
            if (took < ShortestNs)
            {
                calls *= 2;
            }
            else if (warm >= _warmupNs)
            {
                break;
            }
        }

        for (int i = 0; i < _samples; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            long done = 0;
            double total = 0;
            while (total < _sampleNs)
            {
                total += time(calls) * tick;
                done += calls;
            }

            Console.WriteLine(FormattableString.Invariant(
                $"{done} {total:F0} {GC.GetAllocatedBytesForCurrentThread() - before}"));
        }
    }
}

internal sealed partial class Functions
{
    public void PerflabRun(string name, PerflabLoop loop)
    {
        switch (name)
        {
            @TABLE@
            default: throw new ArgumentException("there is no function " + name);
        }
    }
}
