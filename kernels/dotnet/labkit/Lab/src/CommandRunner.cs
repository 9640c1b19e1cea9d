using System;
using System.Linq;
using Perflab.Lab.Show;
using Perflab.Lab.Stream;

namespace Perflab.Lab
{
    /// <summary>Runs commands of <c>./lab</c> on behalf of the cell that is being executed, one at a time.</summary>
    internal sealed class CommandRunner
    {
        private readonly Checkout _checkout;

        public CommandRunner(Checkout checkout) => _checkout = checkout;

        /// <summary>Runs <c>./lab NAME WORD OPTIONS --stream</c>.</summary>
        /// <exception cref="LabException">The command did not come to a result.</exception>
        public LabResult Run(string name, string? word = null, Action<Arguments>? options = null)
        {
            var arguments = new Arguments().Word(name).Word(word);
            options?.Invoke(arguments);
            arguments.Word("--stream");
            var listener = new CellListener(Screen.Present, word is null ? name : $"{name} {word}");
            using var process = new LabProcess(_checkout.Launcher, arguments.Words.ToList(), _checkout.Root);
            try
            {
                var (data, status) = new Conversation(process, listener).Hold();
                listener.Finish("done");
                return new LabResult(data, status, listener.Bundles > 0);
            }
            catch (LabException)
            {
                listener.Finish("stopped");
                throw;
            }
        }

        /// <summary>The same, and the cell shows nothing of it.</summary>
        public LabResult Ask(string name, string word)
        {
            using var process = new LabProcess(_checkout.Launcher, new[] { name, word, "--stream" }, _checkout.Root);
            var (data, status) = new Conversation(process, new Silence()).Hold();
            return new LabResult(data, status);
        }
    }
}
