using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>
    /// Catga.Threading's pool as the report found it and, with other options, as the report fixed it: re-implemented
    /// from a description, defects included. <b>No task that was accepted is lost.</b>
    /// </summary>
    /// <remarks>
    /// <code>
    /// a worker's own task ------> its local queue --+
    ///                                               +--> worker: local, global, steal one, else yield and sleep
    /// any other thread ---------> global queue -----+
    /// </code>
    /// What the report does not say, and the lab shows:
    /// <list type="bullet">
    /// <item><b>There is no wake signal.</b> A task that comes while all workers sleep waits for the first that wakes
    /// by itself.</item>
    /// <item>Tasks from outside all go through one queue: local queues stay empty, and nothing is ever stolen.</item>
    /// <item>A priority is told to listeners; no queue reads it.</item>
    /// <item>Looking a worker up copies the bag of workers, under its lock, for every task.</item>
    /// </list>
    /// The class in parts: <c>Submit</c> (the ways in), <c>Worker</c> (the loop), <c>Scaling</c>, <c>Shutdown</c>.
    /// </remarks>
    public sealed partial class CatgaPool : IValueTaskPool, IRestClock
    {
        private readonly CatgaOptions _options;
        private readonly CatgaTelemetry _telemetry;
        private readonly IdleSleep _sleep;
        private readonly ConcurrentQueue<CatgaWorkItem> _global = new ConcurrentQueue<CatgaWorkItem>();
        private readonly ConcurrentBag<CatgaWorker> _workers = new ConcurrentBag<CatgaWorker>();
        private readonly Thread? _scaler;
        private int _workersSoFar;

        public CatgaPool(CatgaOptions options)
        {
            _options = options;
            _telemetry = new CatgaTelemetry(options.Observability);
            _sleep = new IdleSleep(options.IdleSleepMs);
            AddWorkers(options.MinThreads);
            if (options.EnableDynamicScaling)
            {
                _scaler = new Thread(ScaleUntilShutdown) { IsBackground = true, Name = "catga scaling" };
                _scaler.Start();
            }
        }

        public event Action<Exception>? WorkFailed;

        public int ThreadCount => _workers.Count;

        /// <inheritdoc/>
        /// <remarks>Workers that have left the pool are forgotten, and what they slept with them.</remarks>
        public long AsleepNs => _workers.Sum(worker => worker.AsleepNs);

        /// <summary>How many tasks its own metrics say it has completed: too few, because they race.</summary>
        public long CompletedByItsMetrics => _telemetry.Metrics.CompletedTasks;

        /// <summary>How many workers sleep at this moment.</summary>
        internal int SleepingWorkers => _workers.Count(worker => worker.IsAsleep);

        private void AddWorkers(int count)
        {
            for (int i = 0; i < count; i++)
            {
                var worker = new CatgaWorker(++_workersSoFar);
                _workers.Add(worker);
                worker.Start(() => Loop(worker));
            }
        }
    }
}
