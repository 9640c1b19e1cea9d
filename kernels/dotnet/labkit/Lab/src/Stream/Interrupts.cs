using System;
using System.Threading;

namespace Perflab.Lab.Stream
{
    /// <summary>
    /// Interrupts of the cell, while a command runs. The lab's own kernel asks whoever has put an action under this name before
    /// it aborts the cell; .NET Interactive cancels a token, which is found by its name.
    /// </summary>
    internal sealed class Interrupts : IDisposable
    {
        private const string Hook = "perflab.interrupt";

        private readonly CancellationTokenSource _first = new CancellationTokenSource();
        private readonly CancellationTokenSource _second = new CancellationTokenSource();
        private readonly CancellationTokenRegistration _interactive;

        public Interrupts()
        {
            AppDomain.CurrentDomain.SetData(Hook, (Action)Come);
            _interactive = InteractiveToken().Register(Come);
        }

        /// <summary>Cancelled by the first one.</summary>
        public CancellationToken First => _first.Token;

        /// <summary>Cancelled by the second one: the reader does not want to wait.</summary>
        public CancellationToken Second => _second.Token;

        public void Dispose()
        {
            AppDomain.CurrentDomain.SetData(Hook, null);
            _interactive.Dispose();
        }

        private static CancellationToken InteractiveToken()
        {
            var type = Type.GetType("Microsoft.DotNet.Interactive.KernelInvocationContext, Microsoft.DotNet.Interactive");
            var context = type?.GetProperty("Current")?.GetValue(null);
            return context != null && type!.GetProperty("CancellationToken")?.GetValue(context) is CancellationToken token
                ? token
                : CancellationToken.None;
        }

        private void Come()
        {
            if (_first.IsCancellationRequested)
            {
                _second.Cancel();
            }
            _first.Cancel();
        }
    }
}
