using System;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <remarks>
    /// <b>Which task is next.</b> In this order, but for the turns:
    /// <code>
    ///   High                                          first in, first out
    ///   Normal  1. the worker's own deque             newest first: its data is in the cache, trees go depth first
    ///           2. the shared queue                   oldest first, up to 32 at a time into the deque
    ///           3. another worker's deque             oldest first: of a tree, the largest piece
    ///   Low                                           first in, first out, when there is no other task anywhere
    /// </code>
    /// <para><b>Nobody starves.</b> Four of a worker's 64 looks begin elsewhere:</para>
    /// <code>
    ///   look 16         the shared Normal queue
    ///   look 32         the oldest task of its own deque
    ///   look 48         the oldest task of another worker's deque
    ///   look 0          Low
    /// </code>
    /// <para>So of any 64 consecutive tasks of a worker at least one is Low if Low tasks wait, one is from the shared
    /// Normal queue if tasks wait there, one is the oldest of its own, and one is stolen if others' deques hold any.
    /// With W workers, a task that has q others before it in a shared queue begins after at most (q + 1) * (63 W + 1)
    /// tasks that the pool begins after it was queued: among that many for each, one worker has had 64.</para>
    /// <para>A deque is emptied by its owner, and by all others while its owner is held by a task that does not end:
    /// it may be waiting for just what lies in its deque. For a thief the bound is that of a shared queue if no other
    /// deque holds anything; else it draws anew each time where it begins, and comes upon a certain one first with a
    /// chance of 1/W at least, however many tasks the others hold. While all W workers are held, nothing begins at all;
    /// that is what scaling is for.</para>
    /// </remarks>
    public sealed partial class LabPool
    {
        internal const uint LowTurn = 64;
        private const uint AnyTurn = 16;
        private const uint OwnTurn = 32;
        private const uint OthersTurn = 48;

        private object? Next(Worker worker)
        {
            uint turn = ++worker.Turn;
            if (turn % AnyTurn == 0)
            {
                object? due = TakeDue(worker, turn);
                if (due != null)
                {
                    return due;
                }
            }

            return TakeOne(_high, worker)
                ?? worker.Deque.Take()
                ?? TakeBatch(worker)
                ?? Steal(worker)
                ?? TakeOne(_low, worker);
        }

        private object? TakeDue(Worker worker, uint turn) => (turn % LowTurn) switch
        {
            0 => TakeOne(_low, worker),
            OwnTurn => worker.Deque.Steal(out _),
            OthersTurn => Steal(worker),
            _ => TakeOne(_normal, worker),
        };

        private static object? TakeOne(InjectionQueue queue, Worker worker) =>
            queue.HasReady && queue.Take(worker.Batch, 1) > 0 ? worker.Batch[0].Item : null;

        /// <summary>Its share of what waits if that is little, so that it is not carried off by one worker.</summary>
        /// <remarks>Between the two queues nobody sees the batch: whoever looked meanwhile may have gone to sleep, so
        /// the worker is the producer of what it does not execute itself.</remarks>
        private object? TakeBatch(Worker worker)
        {
            if (!_normal.HasReady)
            {
                return null;
            }

            int taken = _normal.Take(worker.Batch, Worker.BatchSize, Math.Max(1, ThreadCount));
            if (taken == 0)
            {
                return null;
            }

            if (taken > 1)
            {
                Points.Reach(Point.BatchInHand);
                worker.Deque.PushReversed(worker.Batch, 1, taken); // P1
                bool announces = true;
                Points.Reach(Point.BatchQueued, ref announces);
                if (announces)
                {
                    Announce();
                }
            }

            return worker.Batch[0].Item;
        }

        /// <summary>One sweep over all others, from a random one on, repeated as long as a race was lost: there may be
        /// more.</summary>
        private object? Steal(Worker thief)
        {
            bool again;
            do
            {
                again = false;
                Worker[] places = Volatile.Read(ref _places);
                int victim = places.Length > 1 ? thief.Random(places.Length) : 0;
                for (int i = 0; i < places.Length; i++)
                {
                    if (places[victim] != thief)
                    {
                        object? item = places[victim].Deque.Steal(out bool lostRace);
                        if (item != null)
                        {
                            return item;
                        }

                        again |= lostRace;
                    }

                    victim = victim + 1 < places.Length ? victim + 1 : 0;
                }
            }
            while (again);
            return null;
        }

        /// <summary>Something to take, anywhere. The caller has put a full fence before, see LabPool.</summary>
        private bool HasWork()
        {
            if (_high.HasReady || _normal.HasReady || _low.HasReady)
            {
                return true;
            }

            foreach (Worker place in Volatile.Read(ref _places))
            {
                if (!place.Deque.IsEmpty)
                {
                    return true;
                }
            }

            return false;
        }
    }
}
