using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// A ring of slots with a bound: any number of threads put in, any number take out, several items at a time.
    /// </summary>
    /// <remarks>
    /// <para>Vyukov's bounded queue (1024cores.net, "Bounded MPMC queue"), as in .NET's ConcurrentQueue, with two
    /// changes: the consumer takes all items that are ready, up to a number, by one compare-and-set; and a flag in the
    /// tail seals the segment in one atomic step.</para>
    /// <para>A <i>ticket</i> is the number of an item times two. A slot's <c>Sequence</c> says whose turn it is:</para>
    /// <code>
    ///   ticket                 free, for the producer of that ticket
    ///   ticket + 1             filled, for the consumer of that ticket
    ///   ticket + 2 * length    free again, one round later
    ///
    ///   Tail: next ticket to be filled | SEALED      Head: next ticket to be taken
    /// </code>
    /// <para><b>Progress.</b> Lock-free, but for a producer that stalls between its claim of a ticket and filling the
    /// slot: the items behind it are not visible until it goes on. Nobody waits for it. It announces its item itself,
    /// after filling, so that no wake-up depends on those whose items were hidden meanwhile.</para>
    /// <para><b>Why no item is lost or taken twice.</b> A ticket is claimed by compare-and-set of Tail, so it has one
    /// producer, who alone writes the slot from "free" to "filled". A consumer looks at Sequence of the slots from Head
    /// on, and then claims as many as were filled by compare-and-set of Head. Filled slots stay so until Head has
    /// passed them, Head only grows, and tickets wrap around after 2^63 items: so the compare-and-set that succeeds
    /// proves that nobody took one of them since the look. The claimed ones are this consumer's alone; it empties them
    /// and gives each to the producer of the next round.</para>
    /// <para><b>Orderings.</b> Item before Sequence on both sides: a release (or more) and an acquire. Put ends in
    /// Interlocked.Exchange, a full fence after the item is visible: the wake-up protocol counts on it, see
    /// LabPool.</para>
    /// <para><b>Sealing.</b> Each claim is an update of Tail from a value without the flag. So once the flag is set no
    /// ticket is claimed any more, and those before are the last: <see cref="IsDrained"/> is then final.</para>
    /// </remarks>
    internal sealed class InjectionSegment
    {
        private const long Step = 2;
        private const long Filled = 1;
        private const long Sealed = 1;

        private readonly Slot[] _slots;
        private Ends _ends;
        private InjectionSegment? _next;

        /// <param name="start">The first ticket, even; tests begin shortly before wraparound.</param>
        /// <param name="length">A power of two.</param>
        internal InjectionSegment(long start, int length)
        {
            Debug.Assert(length > 0 && (length & (length - 1)) == 0, "no power of two: masks would fail at wraparound");
            Debug.Assert(start % Step == 0, "an odd number is no ticket");
            _slots = new Slot[length];
            for (int i = 0; i < length; i++)
            {
                long ticket = unchecked(start + (Step * i));
                _slots[IndexOf(ticket)].Sequence = ticket;
            }

            _ends.Head = start;
            _ends.Tail = start;
        }

        internal int Length => _slots.Length;

        internal InjectionSegment? Next
        {
            get => Volatile.Read(ref _next);
            set => Volatile.Write(ref _next, value);
        }

        /// <summary>An item is ready to be taken. False may mean that one is claimed and not yet filled.</summary>
        internal bool HasReady
        {
            get
            {
                long head = Volatile.Read(ref _ends.Head);
                long ahead = unchecked(Volatile.Read(ref _slots[IndexOf(head)].Sequence) - head);
                // Beyond Filled if others took it since Head was read: rather look once more than be wrong.
                return ahead > 0;
            }
        }

        /// <summary>No ticket is claimed that was not taken. Final if the segment is sealed.</summary>
        internal bool IsDrained
        {
            get
            {
                long head = Volatile.Read(ref _ends.Head); // first: it never passes the tail that is read after it
                return head == (Volatile.Read(ref _ends.Tail) & ~Sealed);
            }
        }

        /// <summary>Tickets claimed and not taken; a moment that has passed.</summary>
        internal long Count
        {
            get
            {
                long head = Volatile.Read(ref _ends.Head);
                return unchecked((Volatile.Read(ref _ends.Tail) & ~Sealed) - head) / Step;
            }
        }

        /// <summary>False if the segment is full or sealed.</summary>
        internal bool TryPut(object item)
        {
            while (true)
            {
                long ticket = Volatile.Read(ref _ends.Tail);
                if ((ticket & Sealed) != 0)
                {
                    return false;
                }

                ref Slot slot = ref _slots[IndexOf(ticket)];
                long ahead = unchecked(Volatile.Read(ref slot.Sequence) - ticket);
                if (ahead < 0)
                {
                    return false; // the item of the round before is still there, or its consumer not yet done with it
                }

                // ahead > 0: another producer has this ticket since Tail was read
                if (ahead == 0
                    && Interlocked.CompareExchange(ref _ends.Tail, unchecked(ticket + Step), ticket) == ticket)
                {
                    slot.Item = item;
                    Points.Reach(Point.TicketClaimed);
                    Interlocked.Exchange(ref slot.Sequence, unchecked(ticket + Filled));
                    return true;
                }
            }
        }

        /// <summary>
        /// Takes the oldest items that are ready: as many as the array holds, or if there are fewer, this taker's share
        /// of them.
        /// </summary>
        /// <remarks>It does not look at Tail, whose line is the producers': what is ready shows in the slots.</remarks>
        /// <returns>How many were put into the array, from its start on.</returns>
        internal int Take(WorkSlot[] into, int max, int sharers = 1)
        {
            while (true)
            {
                long head = Volatile.Read(ref _ends.Head);
                int ready = 0;
                while (ready < max && IsFilled(unchecked(head + (Step * ready))))
                {
                    ready++;
                }

                if (ready == 0)
                {
                    if (Volatile.Read(ref _ends.Head) == head)
                    {
                        return 0;
                    }

                    continue;
                }

                ready = ready == max ? max : ((ready - 1) / sharers) + 1;
                if (Interlocked.CompareExchange(ref _ends.Head, unchecked(head + (Step * ready)), head) == head)
                {
                    Empty(head, ready, into);
                    return ready;
                }
            }
        }

        /// <summary>No ticket is claimed after this. Callers hold the queue's lock.</summary>
        internal void Seal()
        {
            long tail = Volatile.Read(ref _ends.Tail);
            while ((tail & Sealed) == 0)
            {
                long seen = Interlocked.CompareExchange(ref _ends.Tail, tail | Sealed, tail);
                if (seen == tail)
                {
                    return;
                }

                tail = seen;
            }
        }

        private bool IsFilled(long ticket) =>
            Volatile.Read(ref _slots[IndexOf(ticket)].Sequence) == unchecked(ticket + Filled);

        private void Empty(long head, int count, WorkSlot[] into)
        {
            for (int i = 0; i < count; i++)
            {
                long ticket = unchecked(head + (Step * i));
                ref Slot slot = ref _slots[IndexOf(ticket)];
                into[i].Item = slot.Item;
                slot.Item = null;
                Volatile.Write(ref slot.Sequence, unchecked(ticket + (Step * _slots.Length)));
            }
        }

        private int IndexOf(long ticket) => (int)(ticket >> 1) & (_slots.Length - 1);

        private struct Slot
        {
            internal object? Item;
            internal long Sequence;
        }

        [StructLayout(LayoutKind.Explicit, Size = 3 * CacheLine.Size)]
        private struct Ends
        {
            [FieldOffset(1 * CacheLine.Size)]
            internal long Head;

            [FieldOffset(2 * CacheLine.Size)]
            internal long Tail;
        }
    }
}
