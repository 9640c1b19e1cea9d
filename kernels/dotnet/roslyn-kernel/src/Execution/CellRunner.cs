using System;
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
}
