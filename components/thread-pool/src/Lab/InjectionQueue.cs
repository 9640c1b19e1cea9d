using System;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// First in, first out, without a bound, until it is closed: the tasks of one priority that belong to no worker
    /// yet.
    /// </summary>
    /// <remarks>
    /// <code>
    ///   takers -->  [ sealed, 1024 ] --next--> [ sealed, 2048 ] --next--> [ 4096 ]  &lt;-- putters
    ///                  _head                                                _tail
    /// </code>
    /// <para>A segment that is full is sealed and followed by one of twice the size. The last is used round after
    /// round: a queue whose backlog has been as long before allocates nothing.</para>
    /// <para><b>Order.</b> Takers go on to the next segment only when the one before is sealed and drained, which is
    /// final. The link is written after the seal, so who sees it sees the seal. A look goes the same way without moving
    /// _head: a segment may be linked by who then finds the queue closed, and nobody wakes to move _head to it.</para>
    /// <para><b>Closing</b> seals the last segment under the lock that growth needs, so no segment follows it: a Put
    /// either has claimed its ticket before, and its item will be taken, or returns false.</para>
    /// </remarks>
    internal sealed class InjectionQueue
    {
        internal const int FirstLength = 1024;
        internal const int LargestLength = 1 << 20;

        private readonly object _growing = new object();
        private readonly int _largest;
        private InjectionSegment _head;
        private InjectionSegment _tail;
        private bool _closed;

        internal InjectionQueue(long start = 0, int firstLength = FirstLength, int largestLength = LargestLength)
        {
            _largest = largestLength;
            _head = _tail = new InjectionSegment(start, firstLength);
        }

        /// <summary>As <see cref="InjectionSegment.HasReady"/>, of the segment that takers would come to.</summary>
        internal bool HasReady
        {
            get
            {
                InjectionSegment segment = Volatile.Read(ref _head);
                while (!segment.HasReady)
                {
                    InjectionSegment? next = segment.Next;
                    if (next == null || !segment.IsDrained)
                    {
                        return false;
                    }

                    segment = next;
                }

                return true;
            }
        }

        /// <summary>Every ticket was taken, those too whose slots are not filled yet. Final if the queue is
        /// closed.</summary>
        internal bool IsDrained
        {
            get
            {
                InjectionSegment segment = Volatile.Read(ref _head);
                while (true)
                {
                    InjectionSegment? next = segment.Next;
                    if (!segment.IsDrained)
                    {
                        return false;
                    }

                    if (next == null)
                    {
                        return true;
                    }

                    segment = next;
                }
            }
        }

        /// <summary>A moment that has passed.</summary>
        internal long Count
        {
            get
            {
                long count = 0;
                for (InjectionSegment? segment = Volatile.Read(ref _head); segment != null; segment = segment.Next)
                {
                    count += Math.Max(0, segment.Count);
                }

                return count;
            }
        }

        /// <summary>False if the queue is closed. If true, it was a full fence after the item was ready.</summary>
        internal bool Put(object item)
        {
            while (true)
            {
                InjectionSegment tail = Volatile.Read(ref _tail);
                if (tail.TryPut(item))
                {
                    return true;
                }

                Points.Reach(Point.SegmentFull);
                if (!GrowFrom(tail))
                {
                    return false;
                }

                Points.Reach(Point.SegmentLinked);
            }
        }

        /// <inheritdoc cref="InjectionSegment.Take"/>
        internal int Take(WorkSlot[] into, int max, int sharers = 1)
        {
            while (true)
            {
                InjectionSegment head = Volatile.Read(ref _head);
                int taken = head.Take(into, max, sharers);
                InjectionSegment? next = head.Next;
                if (taken > 0 || next == null || !head.IsDrained)
                {
                    return taken;
                }

                Interlocked.CompareExchange(ref _head, next, head);
            }
        }

        internal void Close()
        {
            lock (_growing)
            {
                _closed = true;
                _tail.Seal();
            }
        }

        /// <summary>False if there is nothing to put into any more.</summary>
        private bool GrowFrom(InjectionSegment full)
        {
            lock (_growing)
            {
                if (_closed)
                {
                    return false;
                }

                if (_tail == full)
                {
                    full.Seal();
                    var next = new InjectionSegment(0, Math.Min(_largest, 2 * full.Length));
                    full.Next = next;
                    Volatile.Write(ref _tail, next);
                }

                return true;
            }
        }
    }
}
