using System;
using System.Diagnostics;
using System.Text.Json;
using System.Threading;

namespace Perflab.Lab.Stream
{
    /// <summary>Who is told what a command says while it runs.</summary>
    internal interface IListener
    {
        void Progress(StreamMessage message);

        void Display(StreamMessage message);

        /// <summary>A remark, or a line that is no message of the stream: that one may be the only trace of a fault.</summary>
        void Note(string text);
    }

    /// <summary>One command from its start to its result.</summary>
    internal sealed class Conversation
    {
        // How long the lab may take to end its children and to seal the run.
        private const int GraceMs = 15_000;
        private const int InterruptedStatus = 130; // 128 + SIGINT, as shells say it

        private readonly LabProcess _process;
        private readonly IListener _listener;
        private StreamMessage? _result;
        private StreamMessage? _failure;

        public Conversation(LabProcess process, IListener listener)
        {
            _process = process;
            _listener = listener;
        }

        /// <summary>Passes on what the command says until it ends.</summary>
        /// <exception cref="LabException">With its <c>error</c>, or if it ended without a result, or on an interrupt.</exception>
        public (JsonElement Data, int ExitStatus) Hold()
        {
            using var interrupts = new Interrupts();
            try
            {
                while (_process.Next(Timeout.Infinite, interrupts.First) is { } line)
                {
                    Take(line);
                }
                return Outcome();
            }
            catch (OperationCanceledException)
            {
                throw Interrupted(interrupts.Second);
            }
        }

        private void Take(string line)
        {
            var message = StreamMessage.Parse(line);
            switch (message?.Type)
            {
                case "progress":
                    _listener.Progress(message);
                    break;
                case "display":
                    _listener.Display(message);
                    break;
                case "note":
                    _listener.Note(message.Text);
                    break;
                case "result":
                    _result = message;
                    break;
                case "error":
                    _failure = message;
                    break;
                default:
                    if (!string.IsNullOrWhiteSpace(line))
                    {
                        _listener.Note(line);
                    }
                    break;
            }
        }

        private (JsonElement Data, int ExitStatus) Outcome()
        {
            var status = _process.ExitStatus();
            if (_failure != null)
            {
                throw new LabException(_failure.Text, _failure.Hint, _failure.Exit ?? status);
            }
            return _result is null
                ? throw new LabException($"./lab ended with status {status} and no result\n{_process.LogTail()}".Trim(), "", status)
                : (_result.Data, status);
        }

        // Asks the command to stop, shows what it still has to show, and leaves the rest to the process's end.
        private LabException Interrupted(CancellationToken again)
        {
            _process.Interrupt();
            var clock = Stopwatch.StartNew();
            try
            {
                while (_process.Next((int)Math.Max(0, GraceMs - clock.ElapsedMilliseconds), again) is { } line)
                {
                    Take(line);
                }
            }
            catch (OperationCanceledException)
            {
                // Interrupted again.
            }
            _process.Dispose();
            return new LabException(_failure?.Text ?? "interrupted", _failure?.Hint ?? _process.LogTail(), InterruptedStatus);
        }
    }
}
