using System;
using System.Collections.Generic;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>What others do just while this thread is at a point: it does that itself, once.</summary>
    internal static class Intrusion
    {
        [ThreadStatic]
        private static Dictionary<Point, Action>? t_intrusions;

        /// <summary>What happens at each point that any thread reaches, for as long as it is set.</summary>
        internal static volatile Action<Point>? Everywhere;

        internal static void At(Point point, Action others, Action test)
        {
            t_intrusions ??= new Dictionary<Point, Action>();
            t_intrusions.Add(point, others);
            try
            {
                test();
            }
            finally
            {
                t_intrusions.Remove(point);
            }
        }

        internal static void Meet(Point point)
        {
            Everywhere?.Invoke(point);
            if (t_intrusions != null && t_intrusions.Remove(point, out Action? others))
            {
                others();
            }
        }
    }
}
