// Calls a function over and over: `Loop NAME WARMUP_MS SAMPLE_MS SAMPLES`.
//
// Each sample is a line: how many calls, their nanoseconds, how many empty calls one takes at least, the bytes that they allocated,
// and its CPU time in nanoseconds. It takes SAMPLE_MS by both clocks, but at most four times as long on the wall. See
// functions.py. The function is called through a delegate, and the program runs without the profiles by which .NET would
// inline one: a call can neither be left out nor taken out of the loop.

using System;
using System.Collections;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;

internal sealed class PerflabLoop
{
    /// <summary>Of calls between two looks at the clock, in nanoseconds.</summary>
    private const double ShortestNs = 1e6;

    /// <summary>Of empty calls; the shortest counts.</summary>
    private const int Batches = 10;

    /// <summary>Elements of a list that are looked at.</summary>
    private const int LookedAt = 10;

    /// <summary>Types of values that do their work later.</summary>
    private static readonly string[] Later =
    {
        "Delegate", "Task", "ValueTask", "ValueTask`1", "Lazy`1", "IEnumerator", "IQueryable", "IAsyncEnumerable`1",
        "IAsyncEnumerator`1", "IObservable`1",
    };

    private static readonly double Tick = 1e9 / Stopwatch.Frequency;

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

    public void Measure(Action function)
    {
        if (function.Method.IsDefined(typeof(AsyncStateMachineAttribute)))
        {
            Console.WriteLine("deferred async void");
            return;
        }

        Measure(calls => Time(function, calls));
    }

    public void Measure<T>(Func<T> function)
    {
        if (Deferred(function()) is string what)
        {
            Console.WriteLine("deferred " + what);
            return;
        }

        Measure(calls => Time(function, calls));
    }

    /// <summary>The type of a value that does its work later, or of the first such in a list or tuple.</summary>
    private static string Deferred(object value)
    {
        if (value is null || value is string)
        {
            return null;
        }

        Type type = value.GetType();
        var names = type.GetInterfaces().Select(one => one.Name).ToList();
        for (Type parent = type; parent != null; parent = parent.BaseType)
        {
            names.Add(parent.Name);
        }

        if (Later.Intersect(names).FirstOrDefault() is string later)
        {
            return later;
        }

        if (value is ITuple tuple)
        {
            return Enumerable.Range(0, tuple.Length).Select(i => Deferred(tuple[i])).FirstOrDefault(what => what != null);
        }

        if (value is IList list)
        {
            return list.Cast<object>().Take(LookedAt).Select(Deferred).FirstOrDefault(what => what != null);
        }

        // Collections have a number of elements, and those that a file declares a name that can be written.
        bool counted = value is ICollection || type.GetProperties().Any(one => one.Name == "Count" || one.Name == "Length");
        bool own = type.Assembly == typeof(PerflabLoop).Assembly && !type.IsDefined(typeof(CompilerGeneratedAttribute));
        return value is IEnumerable && !counted && !own ? "IEnumerable" : null;
    }

    /// <summary>Microseconds of CPU time of the process, with the garbage collector's.</summary>
    [DllImport("libc", EntryPoint = "clock")]
    private static extern IntPtr Clock();

    [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
    private static long Empty() => 0;

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

    /// <summary>Returns how many calls take long enough to be timed.</summary>
    private static long WarmUp(Func<long, long> time, double lengthNs)
    {
        long calls = 1;
        for (double warm = 0; ;)
        {
            double took = time(calls) * Tick;
            warm += took;
            if (took < ShortestNs)
            {
                calls *= 2;
            }
            else if (warm >= lengthNs)
            {
                return calls;
            }
        }
    }

    private void Measure(Func<long, long> time)
    {
        Func<long> empty = Empty;
        long calls = WarmUp(number => Time(empty, number), 0);
        double emptyNs = Enumerable.Range(0, Batches).Min(_ => Time(empty, calls)) * Tick / calls;
        calls = WarmUp(time, _warmupNs);
        for (int i = 0; i < _samples; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            long done = 0;
            double total = 0;
            double used = 0;
            double least = double.MaxValue;
            long begun = (long)Clock();
            while (total < _sampleNs || (used < _sampleNs && total < 4 * _sampleNs))
            {
                double took = time(calls) * Tick;
                total += took;
                least = Math.Min(least, took);
                done += calls;
                used = ((long)Clock() - begun) * 1e3;
            }

            Console.WriteLine(FormattableString.Invariant(
                $"{done} {total:F0} {least / calls / emptyNs:F3} {GC.GetAllocatedBytesForCurrentThread() - before} {used:F0}"));
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
