using System;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>The tests' half of the seams: at each point a pause, or the schedule's decision.</summary>
    internal static partial class Points
    {
        static partial void Reached(Point point)
        {
            if (Schedule.Current != null)
            {
                Schedule.Current.Reached(point);
            }
            else
            {
                Intrusion.Meet(point);
                Delays.Pause();
            }
        }

        static partial void Decide(Point point, ref bool taken) => taken = Schedule.LeftOut != point;

        static partial void Made(ref Parker? parker) => parker = Schedule.Current?.NewParker();
    }

    /// <summary>Pauses of random length at the points of the protocols: none, a few spins, the rest of the time slice,
    /// a millisecond.</summary>
    internal static class Delays
    {
        private static volatile bool s_on;
        private static int s_seed;

        [ThreadStatic]
        private static Random? t_random;

        internal static void Inject(int seed, Action test)
        {
            s_seed = seed;
            s_on = true;
            try
            {
                test();
            }
            finally
            {
                s_on = false;
            }
        }

        internal static void Pause()
        {
            if (!s_on)
            {
                return;
            }

            t_random ??= new Random(Interlocked.Increment(ref s_seed));
            int choice = t_random.Next(1000);
            if (choice < 300)
            {
                Thread.SpinWait(choice);
            }
            else if (choice < 400)
            {
                Thread.Yield();
            }
            else if (choice == 999)
            {
                Thread.Sleep(1);
            }
        }
    }
}
