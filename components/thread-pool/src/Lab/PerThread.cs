using System;
using System.Runtime.CompilerServices;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// What the pools know about a thread, behind the one thread-static field that they have.
    /// </summary>
    /// <remarks>A thread-static field of a generic class is found through a look-up in the runtime, this one by two
    /// instructions.</remarks>
    internal sealed class PerThread
    {
        [ThreadStatic]
        private static PerThread? t_current;

        /// <summary>By the number of the type of work.</summary>
        private object?[] _caches = new object?[4];

        internal static PerThread Current => t_current ?? Create();

        /// <summary>What this thread is in a pool; null for a thread from outside.</summary>
        internal Worker? Worker { get; set; }

        /// <summary>The priority of the Task that it is submitting by RunAsync.</summary>
        internal WorkPriority Submitting { get; set; }

        /// <summary>This thread's empty boxes for one type of work.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal BoxCache<TWork> Boxes<TWork>()
            where TWork : struct, IWork
        {
            object?[] caches = _caches;
            int number = BoxCache<TWork>.Number;
            object? cache = number < caches.Length ? caches[number] : null;
            // the number stands for the type
            return cache != null ? Unsafe.As<BoxCache<TWork>>(cache) : NewCache<TWork>();
        }

        private static PerThread Create() => t_current = new PerThread();

        private BoxCache<TWork> NewCache<TWork>()
            where TWork : struct, IWork
        {
            int number = BoxCache<TWork>.Number;
            if (number >= _caches.Length)
            {
                Array.Resize(ref _caches, Math.Max(number + 1, 2 * _caches.Length));
            }

            var cache = new BoxCache<TWork>();
            _caches[number] = cache;
            return cache;
        }
    }
}
