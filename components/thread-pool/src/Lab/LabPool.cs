using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// The lab's own pool: priorities that its queues obey, stealing with affinity, wake-ups without polling, a size
    /// that follows throughput, and no allocation per task on the path of <see cref="Run{TWork}"/>.
    /// </summary>
    /// <remarks>
    /// <code>
    ///   from outside --High---> [ shared queue ] ----------------------.
    ///                --Normal-> [ shared queue ] --32 at a time--.     |     (who is on turn: see LabPool.Next)
    ///                --Low----> [ shared queue ] --.             v     v
    ///                                              |         [ deque ] worker 0    the newest first;
    ///   a task's own --Normal--> its worker's deque|         [ deque ] worker 1    others steal the oldest
    ///                --High, Low--> as from outside'
    /// </code>
    /// <para>High and Low go through queues that all workers share, so that priority holds across the pool; Normal
    /// stays with the worker that made it, whose cache holds what it is about.</para>
    ///
    /// <para><b>Wake-ups.</b> A word says who sleeps and whether somebody searches (<see cref="Sleepers"/>).</para>
    /// <code>
    ///   [P] producer                              [W] worker
    ///    P1 makes the task visible, full fence     W1 finds nothing, anywhere
    ///    P2 reads the word                         W2 puts itself on the stack (full fence); if it was the searcher,
    ///    P3 no searcher, and a sleeper: pops it       it gives that up in the same step
    ///       and makes it the searcher, one step    W3 looks everywhere again; if there is something: P2 to P4
    ///    P4 wakes it                               W4 sleeps until woken; is the searcher then, looks everywhere
    ///                                              [S] searcher that found a task, before it executes it
    ///                                               S1 gives up the search (full fence)
    ///                                               S2 looks everywhere; if there is more: P2 to P4
    /// </code>
    /// <para><b>Claim: while a task is queued, no worker sleeps for good</b> unless all others are awake and will look
    /// before they sleep. Take the last producer to queue a task, and the value of the word that its P2 reads.</para>
    /// <list type="bullet">
    /// <item><i>A sleeper and no searcher.</i> P3 pops one, or its compare-and-set fails: then another did, or there is
    /// a searcher now. The popped one is woken by P4 (a parker keeps a wake-up that comes first) and looks.</item>
    /// <item><i>A searcher.</i> The read comes before the searcher's S1 or W2 in the order of the word. P1's fence lies
    /// before the read, the searcher's update of the word is a fence before its look in S2 or W3: so the look sees the
    /// task, or somebody has taken it (Dekker: of two that each write and then read, one sees the other). If it sees
    /// it, it goes to P2 itself.</item>
    /// <item><i>No sleeper.</i> Each worker's next W2 comes after the read in the order of the word, so W3 sees the
    /// task, as above.</item>
    /// </list>
    /// <para>A worker that moves a batch from the shared queue into its deque is the producer of it once more, from P1
    /// on: in between nobody sees these tasks, so a look that missed them proves nothing.</para>
    /// <para>W3 may pop the worker itself: then its sleep is over at once. Nobody else than who pops a worker wakes it,
    /// so wake-ups cannot be confused. A producer that stalls between P3 and P4 holds back the search, and those who
    /// rely on it, until it goes on: as long as it stalls inside the system call in any other pool.</para>
    /// <para><b>Why one searcher is enough</b> (Go's and Tokio's schedulers): a burst of tasks wakes one worker, and
    /// that one the next when it has found something and more is left, so as many wake up as there is work for, and a
    /// producer pays for a wake-up at most when nobody is on the way. S2 looks before it wakes: a single task wakes a
    /// single worker.</para>
    ///
    /// <para><b>No allocation.</b> A struct travels in a <see cref="WorkBox{TWork}"/>, which is used again; queues are
    /// used round after round. Memory is allocated only while a backlog is longer than any before.</para>
    /// <para><b>Contexts.</b> Run does not carry the caller's ExecutionContext along, RunAsync does. AsyncLocals, the
    /// culture and the SynchronizationContext that a task leaves behind are gone before the next one begins; a name or
    /// a priority that it gives the thread is not.</para>
    /// </remarks>
    public sealed partial class LabPool : IWorkPool, IRestClock
    {
        private readonly LabPoolOptions _options;
        private readonly InjectionQueue _high;
        private readonly InjectionQueue _normal;
        private readonly InjectionQueue _low;
        private readonly Sleepers _sleepers;

        /// <summary>By number; the first _workerCount are there, and stay there.</summary>
        private readonly Worker[] _workers;

        private int _workerCount;

        /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
        /// <exception cref="OutOfMemoryException">The system does not start as many threads.</exception>
        public LabPool(LabPoolOptions? options = null)
        {
            _options = options ?? new LabPoolOptions();
            _options.Validate();
            _high = NewQueue();
            _normal = NewQueue();
            _low = NewQueue();
            _scheduler = new PoolScheduler(this);
            _sleepers = new Sleepers(_options.MaxThreads);
            _workers = new Worker[_options.MaxThreads];
            try
            {
                AddThreads(_options.MinThreads);
                StartGate();
            }
            catch
            {
                Shutdown(ShutdownMode.Cancel, PoolDefaults.DisposeTimeout); // of the threads that did start
                throw;
            }
        }

        /// <inheritdoc/>
        /// <remarks>
        /// Without a handler the exception meets the fate of one in a Task that nobody looks at:
        /// <see cref="TaskScheduler.UnobservedTaskException"/> is raised when it is collected. So does what a handler
        /// throws, together with what it was told of.
        /// </remarks>
        public event Action<Exception>? WorkFailed;

        /// <inheritdoc/>
        public long AsleepNs => SumOverWorkers(worker => worker.AsleepNs);

        /// <summary>Tasks begun so far; one that a waiting worker ran ahead of its turn counts when the turn
        /// comes.</summary>
        public long ExecutedCount => SumOverWorkers(worker => worker.Executed);

        /// <summary>Tasks that wait at this moment, about.</summary>
        public long QueuedCount =>
            _high.Count + _normal.Count + _low.Count + SumOverWorkers(worker => Math.Max(0, worker.Deque.Count));

        /// <inheritdoc/>
        public void Run<TWork>(in TWork work, WorkPriority priority = WorkPriority.Normal)
            where TWork : struct, IWork
        {
            PerThread caller = PerThread.Current;
            Enqueue(WorkBox<TWork>.Of(work, caller), priority, caller);
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private void Enqueue(object item, WorkPriority priority, PerThread caller)
        {
            Worker? worker = caller.Worker;
            if (priority == WorkPriority.Normal && worker != null && worker.Pool == this)
            {
                ThrowIfClosing();

                // if it begins just now: the worker is awake, and the closer waits until it is not
                worker.Deque.Push(item);
            }
            else if (!QueueOf(priority).Put(item))
            {
                throw NewDisposed();
            }

            Points.Reach(Point.Queued);
            Announce();
        }

        private InjectionQueue NewQueue() => new InjectionQueue(_options.FirstTicket, _options.FirstLength);

        private InjectionQueue QueueOf(WorkPriority priority) => priority switch
        {
            WorkPriority.High => _high,
            WorkPriority.Normal => _normal,
            WorkPriority.Low => _low,
            _ => throw new ArgumentOutOfRangeException(nameof(priority), priority, "Low, Normal or High"),
        };

        private long SumOverWorkers(Func<Worker, long> what)
        {
            long sum = 0;
            for (int i = 0; i < Volatile.Read(ref _workerCount); i++)
            {
                sum += what(_workers[i]);
            }

            return sum;
        }
    }
}
