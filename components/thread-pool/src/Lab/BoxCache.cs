using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// The empty boxes of one type of work: a few per thread, the rest in a depot.
    /// </summary>
    /// <remarks>
    /// Bonwick and Adams' magazines ("Magazines and Vmem", USENIX 2001):
    /// <code>
    ///   caller   takes boxes out    [loaded] [spare]  --- empty magazines --->
    ///                                                                          depot
    ///   worker   puts boxes in      [loaded] [spare]  --- full magazines  --->
    /// </code>
    /// Two magazines per thread, because a thread with one that takes and puts at its end would go to the depot for
    /// each box. So the depot's lock is taken once in <see cref="MagazineSize"/> tasks at most. A magazine belongs to
    /// one thread or to the depot, and the lock orders what was written in it. The magazines of a thread that ends are
    /// garbage.
    /// </remarks>
    internal sealed class BoxCache<TWork>
        where TWork : struct, IWork
    {
        internal const int MagazineSize = 64;

        /// <summary>What the depot keeps: 65,536 boxes. A longer backlog was paid for by allocation and goes back to
        /// the collector.</summary>
        internal const int LargestDepot = 1024;

        /// <summary>Of this type of work, counted from 0.</summary>
        internal static readonly int Number = BoxCacheNumbers.Next();

        private static readonly Depot s_depot = new Depot();

        private Magazine _loaded = new Magazine();
        private Magazine _spare = new Magazine();

        internal WorkBox<TWork> Rent()
        {
            Magazine loaded = _loaded;
            int last = loaded.Count - 1;
            if (last < 0)
            {
                return RentElsewhere();
            }

            loaded.Count = last;
            return loaded.Boxes[last]; // to empty the slot would cost a write, and the box is kept anyway
        }

        internal void Return(WorkBox<TWork> box)
        {
            Magazine loaded = _loaded;
            if (loaded.Count == MagazineSize)
            {
                loaded = MakeRoom();
            }

            loaded.Boxes[loaded.Count++] = box;
        }

        private WorkBox<TWork> RentElsewhere()
        {
            if (_spare.Count == 0 && !s_depot.TryExchangeForFull(ref _spare))
            {
                return new WorkBox<TWork>();
            }

            (_loaded, _spare) = (_spare, _loaded);
            return _loaded.Boxes[--_loaded.Count];
        }

        private Magazine MakeRoom()
        {
            if (_spare.Count == MagazineSize)
            {
                s_depot.ExchangeForEmpty(ref _spare);
            }

            (_loaded, _spare) = (_spare, _loaded);
            return _loaded;
        }

        private sealed class Magazine
        {
            internal readonly WorkBox<TWork>[] Boxes = new WorkBox<TWork>[MagazineSize];
            internal int Count;
        }

        /// <summary>Full magazines, and the empty ones that were given for them.</summary>
        private sealed class Depot
        {
            private readonly Magazine[] _full = new Magazine[LargestDepot];
            private readonly Magazine[] _empty = new Magazine[LargestDepot];
            private int _fullCount;
            private int _emptyCount;

            internal bool TryExchangeForFull(ref Magazine empty)
            {
                lock (_full)
                {
                    if (_fullCount == 0)
                    {
                        return false;
                    }

                    Magazine full = _full[--_fullCount];
                    if (_emptyCount < LargestDepot)
                    {
                        _empty[_emptyCount++] = empty;
                    }

                    empty = full;
                    return true;
                }
            }

            internal void ExchangeForEmpty(ref Magazine full)
            {
                lock (_full)
                {
                    if (_fullCount < LargestDepot)
                    {
                        _full[_fullCount++] = full;
                    }

                    full = _emptyCount > 0 ? _empty[--_emptyCount] : new Magazine();
                }
            }
        }
    }

    /// <summary>Gives types of work their numbers.</summary>
    internal static class BoxCacheNumbers
    {
        private static int s_last = -1;

        internal static int Next() => Interlocked.Increment(ref s_last);
    }
}
