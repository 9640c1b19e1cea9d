using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// Who sleeps, and whether somebody searches: one word, so that all changes of both have one order.
    /// </summary>
    /// <remarks>
    /// <code>
    ///   bit 63 ........ 25     24          23 .. 12     11 .. 0
    ///       tag                searching   sleepers     worker on top of the stack + 1, 0 if none
    /// </code>
    /// <para>The stack (Treiber) is linked by worker numbers. The last to fall asleep is the first to be woken: its
    /// cache is the warmest, and those at the bottom are left alone until they are not needed any more. The tag counts
    /// changes: without it a thread could pop worker A, stalled since A was on B, when meanwhile both were popped and
    /// only A is back (ABA). It wraps around after 2^39 changes, hours of nothing else, while the stalled thread would
    /// have to sit between two instructions.</para>
    /// <para>A worker leaves the stack only by being popped, and who pops it has to wake it.</para>
    /// <para>At most one worker holds the role of <i>searcher</i>, see LabPool for what that means.</para>
    /// </remarks>
    internal sealed class Sleepers
    {
        internal const int MaxWorkers = (1 << CountBits) - 2;

        private const int CountBits = 12;
        private const long TopMask = (1L << CountBits) - 1;
        private const long OneSleeper = 1L << CountBits;
        private const long Searching = 1L << (2 * CountBits);
        private const long OneChange = Searching << 1;

        private readonly int[] _below;
        private Word _word;

        internal Sleepers(int workers)
        {
            Debug.Assert(workers <= MaxWorkers, "a worker's number has to fit into the word");
            _below = new int[workers];
        }

        /// <summary>To be compared: equal words mean that nobody slept, woke or searched in between.</summary>
        internal long Now => Volatile.Read(ref _word.Value);

        internal int Count => CountIn(Now);

        internal static int CountIn(long word) => (int)((word >> CountBits) & TopMask);

        internal static bool IsSearching(long word) => (word & Searching) != 0;

        internal static bool HasSleeper(long word) => (word & TopMask) != 0;

        /// <summary>
        /// The caller puts itself on the stack, and gives up the role of searcher in the same step if it has it. Full
        /// fence.
        /// </summary>
        internal void Enter(int worker, bool searching)
        {
            long word = Now;
            while (true)
            {
                Debug.Assert(!searching || IsSearching(word), "the role is given up by who has it");

                // Published by the compare-and-set, read by who pops this worker.
                Volatile.Write(ref _below[worker], (int)(word & TopMask));
                long entered = unchecked((word & ~TopMask) + OneSleeper + OneChange) | (long)(worker + 1);
                if (TryReplace(ref word, searching ? entered & ~Searching : entered))
                {
                    return;
                }
            }
        }

        /// <summary>
        /// Pops a sleeper and gives it the role of searcher, in one step; nothing if there is no sleeper or already a
        /// searcher.
        /// </summary>
        /// <returns>The worker, which the caller has to wake; -1 for nobody.</returns>
        internal int PopAsSearcher()
        {
            long word = Now;
            Points.Reach(Point.WordRead);
            while (HasSleeper(word) && !IsSearching(word))
            {
                int worker = TopOf(word);
                if (TryReplace(ref word, Popped(word, worker) | Searching))
                {
                    return worker;
                }
            }

            return -1;
        }

        /// <summary>Pops a sleeper that is not to search but to leave; -1 if there is none.</summary>
        internal int PopToLeave()
        {
            long word = Now;
            while (HasSleeper(word))
            {
                int worker = TopOf(word);
                if (TryReplace(ref word, Popped(word, worker)))
                {
                    return worker;
                }
            }

            return -1;
        }

        /// <summary>True if the caller has become the searcher; false if there is one.</summary>
        internal bool TryStartSearch()
        {
            long word = Now;
            while (!IsSearching(word))
            {
                if (TryReplace(ref word, unchecked(word + OneChange) | Searching))
                {
                    return true;
                }
            }

            return false;
        }

        /// <summary>The searcher gives up its role. Full fence.</summary>
        internal void EndSearch()
        {
            long word = Now;
            do
            {
                Debug.Assert(IsSearching(word), "the role is given up by who has it");
            }
            while (!TryReplace(ref word, unchecked(word + OneChange) & ~Searching));
        }

        private static int TopOf(long word) => (int)(word & TopMask) - 1;

        private long Popped(long word, int worker)
        {
            long below = Volatile.Read(ref _below[worker]); // of an earlier stay, perhaps: then the tag has moved on
            return unchecked((word & ~TopMask) - OneSleeper + OneChange) | below;
        }

        /// <summary>False if the word has changed; then it is read again.</summary>
        private bool TryReplace(ref long word, long replacement)
        {
            long seen = Interlocked.CompareExchange(ref _word.Value, replacement, word);
            bool replaced = seen == word;
            word = seen;
            return replaced;
        }

        [StructLayout(LayoutKind.Explicit, Size = 2 * CacheLine.Size)]
        private struct Word
        {
            [FieldOffset(CacheLine.Size)]
            internal long Value;
        }
    }
}
