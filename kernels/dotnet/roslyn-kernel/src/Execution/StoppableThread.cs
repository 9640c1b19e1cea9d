using System;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Perflab.RoslynKernel.Execution
{
    /// <summary>Runs code on a thread of its own so that another thread can stop it.</summary>
    /// <remarks>
    /// Each time on a new one: a thread that was aborted once in a loop without calls was seen not to be aborted there again.
    /// </remarks>
    internal sealed class StoppableThread
    {
        private const int StackBytes = 16 << 20;
        private const int AbortMs = 100;

        private readonly object _lock = new object();
        private Execution? _running;
        private bool _isAsked;

        /// <summary>From now on a stop is one of what runs next, and no more one of what ran before.</summary>
        public void Begin()
        {
            lock (_lock)
            {
                _isAsked = false;
            }
        }

        /// <summary>Stops what runs, or what is about to; returns at once.</summary>
        public void Stop()
        {
            lock (_lock)
            {
                _isAsked = true;
                if (_running is { } running)
                {
                    // Threads of its own: what they call returns when the code has stopped, which may be never, and the pool's
                    // threads may all be the cell's.
                    Start(() => Uninterruptible.Abort(running.Thread, running.Stop.Cancel));
                    Start(() => WakeUp(running));
                }
            }
        }

        /// <returns>Whether the code ran to its end; if not, it was stopped.</returns>
        public bool Run(Action code)
        {
            var execution = new Execution(code);
            lock (_lock)
            {
                if (_isAsked)
                {
                    return false;
                }
                _running = execution;
                execution.Thread.Start();
            }
            execution.Thread.Join();
            lock (_lock)
            {
                _running = null;
            }
            execution.Failure?.Throw();
            return !execution.IsStopped;
        }

        // An abort does not end a wait: a sleep, a lock, a read. The interrupt does.
        private static void WakeUp(Execution execution)
        {
            execution.Stop.Token.WaitHandle.WaitOne();
            Thread.Sleep(AbortMs);
            execution.Thread.Interrupt();
        }

        private static void Start(ThreadStart action) => new Thread(action) { IsBackground = true, Name = "interrupt" }.Start();

        private sealed class Execution
        {
            private readonly Action _code;

            public Execution(Action code)
            {
                _code = code;
                Thread = new Thread(Run, StackBytes) { IsBackground = true, Name = "cell" };
            }

            public Thread Thread { get; }

            public CancellationTokenSource Stop { get; } = new CancellationTokenSource();

            public bool IsStopped { get; private set; }

            public ExceptionDispatchInfo? Failure { get; private set; }

            private void Run()
            {
                try
                {
                    ControlledRun.Run(_code, Stop.Token);
                }
                catch (Exception exception) when (Stop.IsCancellationRequested && IsOfStopping(exception))
                {
                    IsStopped = true;
                }
                catch (Exception exception)
                {
                    Failure = ExceptionDispatchInfo.Capture(exception);
                }
            }

            private static bool IsOfStopping(Exception exception) =>
                exception is OperationCanceledException
                || exception is ThreadInterruptedException
                || exception is ThreadAbortException;
        }
    }

    /// <summary>
    /// Runs code that can be stopped wherever it is, an endless loop included, by .NET 7's <c>ControlledExecution</c>. It is
    /// found by reflection, because the reference assemblies of an older SDK do not have it.
    /// </summary>
    /// <remarks>
    /// The runtime calls it obsolete (SYSLIB0046) since a thread that is stopped anywhere can leave shared state
    /// half-changed. Here that state is the notebook's own, and the alternative is to lose all of it.
    /// </remarks>
    internal static class ControlledRun
    {
        private static readonly Action<Action, CancellationToken>? s_run = Find();

        /// <exception cref="OperationCanceledException">It was stopped.</exception>
        public static void Run(Action code, CancellationToken stop)
        {
            if (s_run is null)
            {
                code();
            }
            else
            {
                s_run(code, stop);
            }
        }

        private static Action<Action, CancellationToken>? Find()
        {
            var method = typeof(object).Assembly.GetType("System.Runtime.ControlledExecution")?.GetMethod("Run");
            return (Action<Action, CancellationToken>?)method?.CreateDelegate(typeof(Action<Action, CancellationToken>));
        }
    }
}
