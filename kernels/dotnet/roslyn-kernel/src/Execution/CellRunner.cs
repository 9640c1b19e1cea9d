using System;
using System.Threading;
using System.Threading.Tasks;
using Perflab.RoslynKernel.Display;
using Perflab.RoslynKernel.Scripting;

namespace Perflab.RoslynKernel.Execution
{
    /// <summary>Compiles a cell, runs it, and shows its last expression.</summary>
    internal sealed class CellRunner
    {
        private readonly Session _session;
        private readonly Output _output;
        private readonly StoppableThread _thread = new StoppableThread();

        public CellRunner(Session session, Output output)
        {
            _session = session;
            _output = output;
        }

        /// <summary>Stops the cell that runs, if one does. Called from another thread.</summary>
        public void Interrupt() => _thread.Stop();

        /// <returns>What was wrong with it, or null.</returns>
        public CellError? Run(string code, int number)
        {
            _thread.Begin();
            _output.BeginCell();
            try
            {
                return RunInside(Directives.Strip(code), number);
            }
            finally
            {
                _output.EndCell();
            }
        }

        private CellError? RunInside(string code, int number)
        {
            _session.Prepare();
            var submission = Submission.Compile(_session, code, CellError.FileName(number));
            if (submission.Errors.Count > 0)
            {
                _session.Drop();
                return CellError.Of(submission.Errors, code);
            }
            try
            {
                // Formatting is the reader's code too, and may take as long.
                return submission.Run is null || _thread.Run(() => RunAndShow(submission)) ? null : CellError.Interrupted;
            }
            catch (Exception exception)
            {
                return CellError.Of(exception);
            }
            finally
            {
                _session.Keep(submission.Compilation, code, submission.Run != null);
            }
        }

        private void RunAndShow(Submission submission)
        {
            var result = CellThread.Run(() => submission.Run!(_session.States));
            if (submission.HasResult)
            {
                _output.Result(result);
            }
        }
    }

    /// <summary>
    /// Runs a cell's code on the present thread, and what follows an <c>await</c> there, too, while that thread has nothing
    /// else to do; else on the thread pool, as in a console program. So a loop that awaits is on the thread that an interrupt
    /// stops, and nothing waits for a thread that waits for it, be it by <c>Result</c>, <c>Wait</c>, a lock or a loop.
    /// </summary>
    /// <remarks>
    /// One field says what the cell's thread does and holds its next work. Each change but the pump's own is a
    /// compare-and-swap from null:
    /// <code>
    /// s_busy     it runs code: what is posted goes to the pool
    /// null       it waits in Pump, for a post or the end of the task
    /// a Work     it is about to run that: whatever else is posted goes to the pool
    /// s_ended    the cell has run to its end: what it has left behind goes on in the pool
    /// s_stopped  it was interrupted: what is posted is dropped, which ends whatever awaits
    /// </code>
    /// No work waits behind a running one: only Pump writes null, just before it waits, and it exchanges what it finds for
    /// s_busy before it runs anything. No wake-up is lost: the event is set after the field, and Pump looks at the field after
    /// each wait; the event is set after the task's end, too, and Pump looks at the task before each wait. Two settings that
    /// become one do no harm, for Pump looks at both.
    /// </remarks>
    internal sealed class CellThread
    {
        private static readonly object s_busy = new object();
        private static readonly object s_ended = new object();
        private static readonly object s_stopped = new object();

        private readonly AutoResetEvent _wake = new AutoResetEvent(false);
        private object? _at = s_busy;

        /// <summary>Runs a cell's code to its end.</summary>
        public static object? Run(Func<Task<object?>> code)
        {
            var before = SynchronizationContext.Current;
            var thread = new CellThread();
            var over = s_stopped;
            try
            {
                SynchronizationContext.SetSynchronizationContext(new Context(thread));
                var task = code();
                thread.Pump(task);
                over = s_ended;
                return task.GetAwaiter().GetResult();
            }
            finally
            {
                SynchronizationContext.SetSynchronizationContext(before);
                thread.End(over);
            }
        }

        private void Pump(Task task)
        {
            _ = task.ContinueWith(
                _ => _wake.Set(),
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
            while (!task.IsCompleted)
            {
                Volatile.Write(ref _at, null);
                _wake.WaitOne();
                (Interlocked.Exchange(ref _at, s_busy) as Work)?.Run();
            }
        }

        private void End(object how)
        {
            // Posted between the last wait and the end of the task.
            if (Interlocked.Exchange(ref _at, how) is Work left && how == s_ended)
            {
                RunElsewhere(left);
            }
        }

        private void Post(Work work)
        {
            var at = Interlocked.CompareExchange(ref _at, work, null);
            if (at is null)
            {
                _wake.Set();
            }
            else if (at != s_stopped)
            {
                RunElsewhere(work);
            }
        }

        // With a context, so that an interrupt ends that at its next await; another one, since a task whose context is the
        // present one goes on at once, in the pool, where the cell's thread could take it. The pool takes it back by itself.
        private void RunElsewhere(Work work) => ThreadPool.QueueUserWorkItem(_ =>
        {
            SynchronizationContext.SetSynchronizationContext(new Context(this));
            work.Run();
        });

        private sealed class Work
        {
            private readonly SendOrPostCallback _callback;
            private readonly object? _state;

            public Work(SendOrPostCallback callback, object? state)
            {
                _callback = callback;
                _state = state;
            }

            public void Run() => _callback(_state);
        }

        private sealed class Context : SynchronizationContext
        {
            private readonly CellThread _thread;

            public Context(CellThread thread) => _thread = thread;

            public override void Post(SendOrPostCallback callback, object? state) => _thread.Post(new Work(callback, state));

            public override void Send(SendOrPostCallback callback, object? state) => callback(state);

            public override SynchronizationContext CreateCopy() => this;
        }
    }
}
