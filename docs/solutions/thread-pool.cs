// The cell of the class in "Exercise: a pool of your own".
//
// A queue for each priority behind one lock. The scheduler's QueueTask is told no priority, but it is called by the thread that submits. Every
// sixteenth turn begins at the low end, so that no priority starves.
public sealed class MyPool : TaskScheduler, IWorkPool
{
    [ThreadStatic] private static WorkPriority submitting;

    private readonly Queue<Task>[] queues = { new Queue<Task>(), new Queue<Task>(), new Queue<Task>() };
    private readonly CancellationTokenSource cancelled = new CancellationTokenSource();
    private readonly List<Thread> threads = new List<Thread>();
    private bool closed;
    private int turns;

    public MyPool()
    {
        for (int i = 0; i < Environment.ProcessorCount; i++) threads.Add(new Thread(Loop) { IsBackground = true });
        threads.ForEach(one => one.Start());
    }

    public event Action<Exception> WorkFailed;
    public int ThreadCount => threads.Count;

    public void Run<TWork>(in TWork work, WorkPriority priority = WorkPriority.Normal) where TWork : struct, IWork
    {
        var copy = work;
        RunAsync(() => { try { copy.Execute(); } catch (Exception thrown) { WorkFailed?.Invoke(thrown); } }, priority);
    }
    public Task RunAsync(Action action, WorkPriority priority = WorkPriority.Normal) =>
        Accepted(priority, () => Task.Factory.StartNew(action, cancelled.Token, TaskCreationOptions.DenyChildAttach, this));
    public Task<T> RunAsync<T>(Func<T> function, WorkPriority priority = WorkPriority.Normal) =>
        Accepted(priority, () => Task.Factory.StartNew(function, cancelled.Token, TaskCreationOptions.DenyChildAttach, this));

    public bool Shutdown(ShutdownMode mode, TimeSpan timeout)
    {
        var waited = System.Diagnostics.Stopwatch.StartNew();
        TimeSpan Left() => timeout == Timeout.InfiniteTimeSpan ? timeout : TimeSpan.FromTicks(Math.Max(0, (timeout - waited.Elapsed).Ticks));
        lock (queues)
        {
            closed = true;
            Monitor.PulseAll(queues);
        }
        if (mode == ShutdownMode.Cancel) Cancel();
        return threads.All(one => one.Join(Left()));
    }
    public void Dispose() => Shutdown(ShutdownMode.Drain, PoolDefaults.DisposeTimeout);

    private void Cancel()
    {
        cancelled.Cancel();
        while (Next(wait: false) is Task waits) TryExecuteTask(waits);
    }

    protected override void QueueTask(Task task)
    {
        lock (queues)
        {
            if (closed) throw new InvalidOperationException();
            queues[(int)submitting].Enqueue(task);
            Monitor.Pulse(queues);
        }
    }
    protected override bool TryExecuteTaskInline(Task task, bool queued) => false;
    protected override IEnumerable<Task> GetScheduledTasks()
    {
        lock (queues) return queues.SelectMany(one => one).ToList();
    }
    private void Loop() { while (Next(wait: true) is Task task) TryExecuteTask(task); }
    private Task Next(bool wait)
    {
        lock (queues)
        {
            while (true)
            {
                bool lowFirst = ++turns % 16 == 0;
                for (int i = 0; i < 3; i++)
                {
                    var queue = queues[lowFirst ? i : 2 - i];
                    if (queue.Count > 0) return queue.Dequeue();
                }
                if (closed || !wait) return null;
                Monitor.Wait(queues);
            }
        }
    }
    private T Accepted<T>(WorkPriority priority, Func<T> start)
    {
        submitting = priority;
        try { return start(); } catch (TaskSchedulerException) { throw new ObjectDisposedException(nameof(MyPool)); }
    }
}
