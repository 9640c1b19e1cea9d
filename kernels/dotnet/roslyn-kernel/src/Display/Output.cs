using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Perflab.RoslynKernel.Wire;

namespace Perflab.RoslynKernel.Display
{
    /// <summary>All that a cell shows, in the order in which it shows it.</summary>
    internal sealed class Output
    {
        private readonly Pipe _pipe;
        private readonly StreamText _out;
        private readonly StreamText _error;

        public Output(Pipe pipe)
        {
            _pipe = pipe;
            _out = new StreamText(pipe, "stdout");
            _error = new StreamText(pipe, "stderr");
        }

        /// <summary>From now on what is printed with <see cref="Console"/> goes to the notebook.</summary>
        public void TakeConsole()
        {
            CultureInfo.DefaultThreadCurrentCulture = CultureInfo.InvariantCulture;
            // Not synchronised by the framework, whose lock an interrupted cell could be holding forever.
            Console.SetOut(_out);
            Console.SetError(_error);
        }

        public void BeginCell()
        {
            _out.Begin();
            _error.Begin();
        }

        public void EndCell()
        {
            _out.End();
            _error.End();
        }

        /// <summary>A value of which there is nothing to see, such as what has shown itself already, is no result.</summary>
        public void Result(object? value)
        {
            var bundle = Bundle.Of(value, Array.Empty<string>());
            if (bundle.Values.Any(text => text.Length > 0))
            {
                Send("result", null, bundle);
            }
        }

        public void Show(string id, object? value, string[] mimeTypes) => Send("display", id, Bundle.Of(value, mimeTypes));

        public void Update(string id, object? value, string[] mimeTypes) => Send("update", id, Bundle.Of(value, mimeTypes));

        /// <summary>Sends what was printed, so that it comes before what is sent next.</summary>
        public void Flush()
        {
            _out.Flush();
            _error.Flush();
        }

        private void Send(string kind, string? id, IReadOnlyDictionary<string, string> bundle)
        {
            Flush();
            _pipe.Write(json =>
            {
                json.WriteString("type", kind);
                if (id != null)
                {
                    json.WriteString("display_id", id);
                }
                Bundle.WriteTo(json, "data", bundle);
            });
        }
    }
}
