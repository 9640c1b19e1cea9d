using System.Collections.Concurrent;
using System.Threading;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>A thread of the pool with its queue.</summary>
    internal sealed class CatgaWorker
    {
        private readonly RestClock _rest = new RestClock();
        private volatile bool _idle = true;
        private volatile bool _retired;

        public CatgaWorker(int number) => Name = $"catga worker {number}";

        public string Name { get; }

        public Thread? Thread { get; private set; }

        /// <summary>
        /// Tasks that this worker's own tasks submitted: first in, first out, also for the worker itself. Only its own
        /// thread adds to it.
        /// </summary>
        public ConcurrentQueue<CatgaWorkItem> Local { get; } = new ConcurrentQueue<CatgaWorkItem>();

        /// <summary>Whether its last look at the queues brought nothing.</summary>
        public bool IsIdle => _idle;

        /// <summary>Set once and for good: its loop ends after the task at hand.</summary>
        public bool IsRetired => _retired;

        public bool IsAsleep => _rest.IsRunning;

        public long AsleepNs => _rest.AsleepNs;

        public void Start(ThreadStart loop)
        {
            Thread = new Thread(loop) { IsBackground = true, Name = Name };
            Thread.Start();
        }

        public void Retire() => _retired = true;

        public void Work(CatgaWorkItem item, CatgaTelemetry telemetry)
        {
            _idle = false;
            telemetry.Execute(item);
        }

        /// <summary>
        /// Gives the processor away and sleeps. Nothing wakes it before its time: that is the pool's true defect.
        /// </summary>
        public void Rest(IdleSleep sleep)
        {
            _idle = true;
            Thread.Yield();
            _rest.Begin();
            sleep.Once();
            _rest.End();
        }
    }
}
