using System;
using System.Threading;
using System.Threading.Tasks;
using Perflab.ThreadPools.Peers;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>A good pool that now and then does something else with a task.</summary>
    public sealed class BrokenPool : IWorkPool
    {
        private readonly IWorkPool _pool = new DedicatedPool(2);
        private readonly Defect _defect;
        private int _submitted;
        private ShutdownMode? _first;

        public BrokenPool(Defect defect) => _defect = defect;

        public enum Defect
        {
            LosesTasks,
            RunsTasksTwice,
            SwallowsExceptions,
            DropsTheQueueAtShutdown,
            CancelsOnlyAtFirst,
        }

        public event Action<Exception>? WorkFailed
        {
            add => _pool.WorkFailed += value;
            remove => _pool.WorkFailed -= value;
        }

        public int ThreadCount => _pool.ThreadCount;

        private bool IsTheOne => Interlocked.Increment(ref _submitted) % 50 == 0;

        public void Run<TWork>(in TWork work, WorkPriority priority = WorkPriority.Normal)
            where TWork : struct, IWork
        {
            bool isTheOne = IsTheOne;
            if (isTheOne && _defect == Defect.LosesTasks)
            {
                return;
            }

            _pool.Run(work, priority);
            if (isTheOne && _defect == Defect.RunsTasksTwice)
            {
                _pool.Run(work, priority);
            }
        }

        public Task RunAsync(Action action, WorkPriority priority = WorkPriority.Normal) => RunAsync(
            () =>
            {
                action();
                return true;
            },
            priority);

        public Task<TResult> RunAsync<TResult>(Func<TResult> function, WorkPriority priority = WorkPriority.Normal)
        {
            bool isTheOne = IsTheOne;
            return (isTheOne, _defect) switch
            {
                (true, Defect.LosesTasks) => new TaskCompletionSource<TResult>().Task,
                (true, Defect.RunsTasksTwice) => _pool.RunAsync(() => { function(); return function(); }, priority),
                (_, Defect.SwallowsExceptions) => _pool.RunAsync(() => Swallow(function), priority),
                _ => _pool.RunAsync(function, priority),
            };
        }

        public bool Shutdown(ShutdownMode mode, TimeSpan timeout)
        {
            _first ??= mode;
            return _pool.Shutdown(
                _defect switch
                {
                    Defect.DropsTheQueueAtShutdown => ShutdownMode.Cancel,
                    Defect.CancelsOnlyAtFirst => _first.Value,
                    _ => mode,
                },
                timeout);
        }

        public void Dispose() => _pool.Dispose();

        private static TResult Swallow<TResult>(Func<TResult> function)
        {
            try
            {
                return function();
            }
            catch (InvalidOperationException)
            {
                return default!;
            }
        }
    }
}
