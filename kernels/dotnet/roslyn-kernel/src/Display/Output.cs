using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using Perflab.RoslynKernel.Execution;
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

    /// <summary>
    /// Standard output, or standard error, of a cell: sent on while the cell runs, in pieces, up to a limit per cell. What is
    /// beyond the limit is counted and dropped, so that a cell that prints forever costs neither memory nor the notebook.
    /// </summary>
    internal sealed class StreamText : TextWriter
    {
        public const int LimitPerCell = 1_000_000;

        private const int PieceLength = 16_384;
        private const int DelayMs = 40;

        private readonly Pipe _pipe;
        private readonly string _name;
        private readonly StringBuilder _text = new StringBuilder();
        private readonly Timer _timer;
        private long _taken;
        private bool _timed;

        public StreamText(Pipe pipe, string name)
        {
            _pipe = pipe;
            _name = name;
            _timer = new Timer(_ => Flush());
        }

        public override Encoding Encoding => Encoding.UTF8;

        public void Begin()
        {
            Uninterruptible.Run(() =>
            {
                Send();
                _taken = 0;
            });
        }

        public void End()
        {
            Uninterruptible.Run(() =>
            {
                if (_taken > LimitPerCell)
                {
                    _text.Append($"\n[{_taken - LimitPerCell} more characters left out]\n");
                }
                _taken = 0;
                Send();
            });
        }

        public override void Write(char value) => Write(value.ToString());

        public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

        public override void Write(string? value)
        {
            if (string.IsNullOrEmpty(value))
            {
                return;
            }
            // The text and its count stay in step.
            Uninterruptible.Run(() => Append(value));
        }

        public override void WriteLine() => Write("\n");

        public override void WriteLine(string? value) => Write(value + "\n");

        public override void Flush() => Uninterruptible.Run(Send);

        private void Send()
        {
            _timed = false;
            if (_text.Length == 0)
            {
                return;
            }
            var text = _text.ToString();
            _text.Clear();
            _pipe.Write(json =>
            {
                json.WriteString("type", "stream");
                json.WriteString("name", _name);
                json.WriteString("text", text);
            });
        }

        private void Append(string value)
        {
            var room = LimitPerCell - _taken;
            _taken += value.Length;
            if (room <= 0)
            {
                return;
            }
            _text.Append(value, 0, (int)System.Math.Min(room, value.Length));
            if (_text.Length >= PieceLength)
            {
                Send();
            }
            else if (!_timed)
            {
                _timed = true;
                _timer.Change(DelayMs, Timeout.Infinite);
            }
        }
    }
}
