using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// One worker's tasks: the worker puts in and takes out at one end, the newest first; all others take the oldest at
    /// the other.
    /// </summary>
    /// <remarks>
    /// <para>Chase and Lev, "Dynamic Circular Work-Stealing Deque" (SPAA 2005), with the orderings of Lê, Pop, Cohen
    /// and Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory Models" (PPoPP 2013).</para>
    /// <code>
    ///       top                     bottom
    ///        v                        v
    ///   [ ][a][b][c][d][e][f][g][h][ ][ ]
    ///   steal -->              &lt;-- take, push -->
    /// </code>
    /// <para><b>Progress.</b> Push and Take are wait-free but for growth. Steal is lock-free: who loses a race lost it
    /// to somebody who got the item.</para>
    /// <para><b>Why no item is lost or taken twice.</b> <c>Bottom</c> is written by the owner only, <c>Top</c> only
    /// grows, by one, by compare-and-set: each index is given to one thief, or to the owner.</para>
    /// <list type="bullet">
    /// <item>Take and Steal meet only at the last item. Take stores bottom = b, fence, loads top; Steal loads top = t,
    /// fence, loads bottom. Of the two fences one is first in their order: if Take's, the thief sees bottom = b and
    /// leaves index b alone; if Steal's, Take sees top at t or beyond. So when Take sees top &lt; b, no thief can have
    /// index b any more; when it sees top = b, it takes part in the race for it by compare-and-set, as thieves
    /// do.</item>
    /// <item>Steal reads the item before its compare-and-set, because afterwards the owner may fill the slot again. It
    /// may read a slot that is being filled again, but then <c>Top</c> has left t before, and the compare-and-set
    /// fails: Push fills the slot of t again only after it has seen <c>Top</c> beyond t.</item>
    /// <item>A thief that still has the array from before growth reads the same item there: growth copies, and nobody
    /// stores an item into the old array any more. That Steal loads the array after <c>Bottom</c> (acquire) makes sure
    /// that it is not older than the index: Push stores the array before <c>Bottom</c>.</item>
    /// </list>
    /// <para><b>Orderings</b>, in terms of the .NET memory model: Volatile.Write is a release, Volatile.Read an
    /// acquire, each Interlocked operation a full fence; the item's own fields are published by the release of
    /// <c>Bottom</c>. Where the paper has a relaxed store and then a sequentially consistent fence, here is one
    /// Interlocked.Exchange, which is both and costs what the fence costs alone.</para>
    /// <para>Indices wrap around: they are compared by their difference. A stolen item stays referenced by its slot
    /// until the slot is used again.</para>
    /// </remarks>
    internal sealed class WorkStealingDeque
    {
        internal const int InitialLength = 256;

        private WorkSlot[] _slots;
        private Ends _ends;

        /// <param name="start">The first index; tests begin shortly before wraparound.</param>
        /// <param name="length">A power of two; tests make it small, to meet growth often.</param>
        internal WorkStealingDeque(long start = 0, int length = InitialLength)
        {
            Debug.Assert(length > 0 && (length & (length - 1)) == 0, "no power of two: masks would fail at wraparound");
            _slots = new WorkSlot[length];
            _ends.Bottom = start;
            _ends.Top = start;
        }

        /// <summary>True is certain for the owner; others may see a moment that has passed.</summary>
        internal bool IsEmpty => Count <= 0;

        /// <summary>As IsEmpty. Bottom after top, for a thief whose fence lies before both.</summary>
        internal long Count
        {
            get
            {
                long top = Volatile.Read(ref _ends.Top);
                return unchecked(Volatile.Read(ref _ends.Bottom) - top);
            }
        }

        /// <summary>Owner only. It is a full fence after the item is visible: the wake-up protocol counts on it, see
        /// LabPool.</summary>
        internal void Push(object item)
        {
            long bottom = _ends.Bottom;
            WorkSlot[] slots = RoomFor(1, bottom);
            slots[(int)bottom & (slots.Length - 1)].Item = item;
            Interlocked.Exchange(ref _ends.Bottom, unchecked(bottom + 1));
        }

        /// <summary>Owner only: items[from..to), put in so that Take returns them in that order. All become visible at
        /// once. A full fence after that, as Push.</summary>
        internal void PushReversed(WorkSlot[] items, int from, int to)
        {
            long bottom = _ends.Bottom;
            WorkSlot[] slots = RoomFor(to - from, bottom);
            for (int i = to - 1; i >= from; i--)
            {
                slots[(int)bottom & (slots.Length - 1)] = items[i];
                bottom = unchecked(bottom + 1);
            }

            Interlocked.Exchange(ref _ends.Bottom, bottom);
        }

        /// <summary>Owner only: the newest item, null if there is none.</summary>
        internal object? Take()
        {
            long bottom = unchecked(_ends.Bottom - 1);
            if (unchecked(bottom - Volatile.Read(ref _ends.Top)) < 0)
            {
                return null; // without a fence: only the owner could have put something in
            }

            Interlocked.Exchange(ref _ends.Bottom, bottom);
            long top = Volatile.Read(ref _ends.Top);
            long others = unchecked(bottom - top);
            if (others < 0)
            {
                _ends.Bottom = top; // thieves took the rest; between two empty states there is nothing to order
                return null;
            }

            ref WorkSlot slot = ref _slots[(int)bottom & (_slots.Length - 1)];
            object? item = slot.Item;
            if (others == 0)
            {
                if (Interlocked.CompareExchange(ref _ends.Top, unchecked(top + 1), top) != top)
                {
                    item = null;
                }

                _ends.Bottom = unchecked(bottom + 1);
                if (item == null)
                {
                    return null;
                }
            }

            slot.Item = null; // the index is ours: no thief that still reads this slot can win its compare-and-set
            return item;
        }

        /// <summary>Anybody: the oldest item; null if there is none, or if another took it meanwhile.</summary>
        /// <param name="lostRace">True if another took it: there may be more.</param>
        internal object? Steal(out bool lostRace)
        {
            lostRace = false;
            long top = Volatile.Read(ref _ends.Top);
            if (unchecked(_ends.Bottom - top) <= 0)
            {
                return null; // a first look without the fence, which could only make it miss what comes now
            }

            Interlocked.MemoryBarrier();
            if (unchecked(Volatile.Read(ref _ends.Bottom) - top) <= 0)
            {
                return null;
            }

            WorkSlot[] slots = Volatile.Read(ref _slots);
            object? item = slots[(int)top & (slots.Length - 1)].Item;
            if (Interlocked.CompareExchange(ref _ends.Top, unchecked(top + 1), top) != top)
            {
                lostRace = true;
                return null;
            }

            Debug.Assert(item != null, "the slot of an index that was pushed and not taken holds its item");
            return item;
        }

        private WorkSlot[] RoomFor(int count, long bottom)
        {
            WorkSlot[] slots = _slots;
            long top = Volatile.Read(ref _ends.Top);
            while (unchecked(bottom - top) + count > slots.Length)
            {
                var longer = new WorkSlot[2 * slots.Length];
                for (long i = top; i != bottom; i = unchecked(i + 1))
                {
                    longer[(int)i & (longer.Length - 1)] = slots[(int)i & (slots.Length - 1)];
                }

                Volatile.Write(ref _slots, longer);
                slots = longer;
            }

            return slots;
        }

        /// <summary>Thieves write one end, the owner the other; neither shares its line with what lies
        /// around.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 3 * CacheLine.Size)]
        private struct Ends
        {
            [FieldOffset(1 * CacheLine.Size)]
            internal long Bottom;

            [FieldOffset(2 * CacheLine.Size)]
            internal long Top;
        }
    }
}
