using System;
using System.Threading;

namespace Perflab.RoslynKernel.Execution
{
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
