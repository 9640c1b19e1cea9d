using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// A place for a thread of the pool: what belongs to it alone, and the deque that others may steal from. When its
    /// thread leaves, the place stays, and what is left in the deque is stolen; the next thread takes the place over.
    /// </summary>
    internal sealed class Worker
    {
        /// <summary>So many tasks at most are taken from the shared queue at once. They lie in the deque, where others
        /// may have them.</summary>
        internal const int BatchSize = 32;

        internal readonly LabPool Pool;
        internal readonly int Number;
        internal readonly WorkStealingDeque Deque;
        internal readonly Parker Parker = Parker.Create();
        internal readonly SpinBudget Spinning;
        internal readonly WorkSlot[] Batch = new WorkSlot[BatchSize];

        /// <summary>How many tasks it has looked for; decides whose turn it is, see LabPool.Next.</summary>
        internal uint Turn;

        /// <summary>Null if no thread has this place. Written under the pool's lock for sizes.</summary>
        internal Thread? Thread;

        /// <summary>Written before the wake-up that means it.</summary>
        internal bool MustLeave;

        /// <summary>Its thread has nothing more to do. Written by that thread, and before it starts.</summary>
        internal bool HasLeft;

        /// <summary>The context that its tasks begin in. Written by its thread before the first of them.</summary>
        internal ExecutionContext Clean = null!;

        /// <summary>The task that a shutdown on this very thread executes.</summary>
        internal object? InHand;

        private readonly RestClock _rest = new RestClock();
        private uint _random;
        private Counters _counters;

        internal Worker(LabPool pool, int number, LabPoolOptions options)
        {
            Pool = pool;
            Number = number;
            Deque = new WorkStealingDeque(
                options.FirstTicket, Math.Min(options.FirstLength, WorkStealingDeque.InitialLength));
            Spinning = new SpinBudget(options.SpinLimit);
            _random = (uint)(number + 1) * 2654435769;
        }

        /// <summary>Tasks begun so far. Written by the owner alone, without a fence; read by
        /// anybody.</summary>
        internal long Executed => Volatile.Read(ref _counters.Executed);

        internal long AsleepNs => _rest.AsleepNs;

        internal void CountExecuted() => Volatile.Write(ref _counters.Executed, _counters.Executed + 1);

        /// <summary>Sleeps until woken, and learns from how long there was nothing to do.</summary>
        /// <param name="idleSince">in ticks of Stopwatch</param>
        internal void Sleep(long idleSince)
        {
            _rest.Begin();
            Parker.Park();
            _rest.End();
            Spinning.Idled(Stopwatch.GetTimestamp() - idleSince);
        }

        /// <summary>A number below the bound (Marsaglia's xorshift, 2003).</summary>
        internal int Random(int bound)
        {
            _random ^= _random << 13;
            _random ^= _random >> 17;
            _random ^= _random << 5;
            return (int)(_random % (uint)bound);
        }

        [StructLayout(LayoutKind.Explicit, Size = 3 * CacheLine.Size)]
        private struct Counters
        {
            [FieldOffset(CacheLine.Size)]
            internal long Executed;
        }
    }
}
