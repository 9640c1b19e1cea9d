using System.Diagnostics;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>Where the protocols of the pool can be interrupted to their harm; the letters are those of LabPool's
    /// comment.</summary>
    internal enum Point
    {
        /// <summary>A producer has a ticket and has not filled its slot.</summary>
        TicketClaimed,

        /// <summary>A producer has found the last segment full, and not yet made another.</summary>
        SegmentFull,

        /// <summary>There is another segment, and the producer has not yet put its item in.</summary>
        SegmentLinked,

        /// <summary>P1 is done: the task is visible, and nobody was told.</summary>
        Queued,

        /// <summary>A worker has taken a batch from the shared queue, and nobody sees it.</summary>
        BatchInHand,

        /// <summary>P1 is done for a batch: what the worker does not execute itself is in its deque, and nobody was
        /// told. Announcing it is the step.</summary>
        BatchQueued,

        /// <summary>P2 has read the word, and not yet changed it.</summary>
        WordRead,

        /// <summary>P3 is done: a sleeper is off the stack, and not yet awake.</summary>
        Popped,

        /// <summary>W1 is done: a worker has found nothing, and is not yet on the stack.</summary>
        FoundNothing,

        /// <summary>W2 is done: on the stack. The step is W3, the second look.</summary>
        OnTheStack,

        /// <summary>W3 is done: the second look found nothing, before it sleeps.</summary>
        AboutToSleep,

        /// <summary>S1 is done: a searcher has given up its role. The step is S2, the look whether another is
        /// needed.</summary>
        SearchEnded,

        /// <summary>A thread is counted, and about to be started: the system may refuse it.</summary>
        ThreadStarts,

        /// <summary>A shutdown has closed the queues, and done nothing yet about what waits there.</summary>
        Closed,
    }

    /// <summary>
    /// The seams at which the tests' own build of this source puts delays, another schedule or a parker of its own, or
    /// leaves a step out as a control. In every other build there is no call, and a step is always taken.
    /// </summary>
    internal static partial class Points
    {
        [Conditional("PERFLAB_POINTS")]
        internal static void Reach(Point point) => Reached(point);

        /// <summary>As above, before a step.</summary>
        /// <param name="point">Where it is.</param>
        /// <param name="taken">Whether the step is taken; a control, which has to find the loss, makes it false.</param>
        [Conditional("PERFLAB_POINTS")]
        internal static void Reach(Point point, ref bool taken)
        {
            Reached(point);
            Decide(point, ref taken);
        }

        /// <summary>A parker that the tests' schedule knows of.</summary>
        [Conditional("PERFLAB_POINTS")]
        internal static void Make(ref Parker? parker) => Made(ref parker);

        static partial void Reached(Point point);

        static partial void Decide(Point point, ref bool taken);

        static partial void Made(ref Parker? parker);
    }
}
