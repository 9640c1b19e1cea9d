using System;
using System.IO;
using System.Threading.Tasks;
using Perflab.RoslynKernel.Display;

namespace Perflab.RoslynKernel.Wire
{
    /// <summary>Standard input: each line is asked of the notebook's reader. The console lets one thread at a time read.</summary>
    internal sealed class Input : TextReader
    {
        private readonly Pipe _pipe;
        private readonly Output _output;
        private string _rest = "";
        private volatile Question? _asked;
        private int _count;

        public Input(Pipe pipe, Output output)
        {
            _pipe = pipe;
            _output = output;
        }

        /// <summary>Takes an answer. One to a question that an interrupted cell has asked has come too late.</summary>
        public void Answer(Request request)
        {
            if (_asked is { } asked && asked.Id == request.Id)
            {
                asked.Answer.TrySetResult((request.Line, request.Refusal));
            }
        }

        public override string? ReadLine()
        {
            if (!Fill())
            {
                return null;
            }
            var line = _rest.Substring(0, _rest.Length - 1);
            _rest = "";
            return line;
        }

        public override int Peek() => Fill() ? _rest[0] : -1;

        public override int Read()
        {
            var next = Peek();
            _rest = next < 0 ? _rest : _rest.Substring(1);
            return next;
        }

        private bool Fill()
        {
            if (_rest.Length == 0 && Ask() is { } line)
            {
                _rest = line + "\n";
            }
            return _rest.Length > 0;
        }

        // Null is the end of the input. An interrupt ends the wait.
        private string? Ask()
        {
            var asked = new Question(++_count);
            _asked = asked;
            _output.Flush();
            _pipe.Write(json =>
            {
                json.WriteString("type", "input");
                json.WriteNumber("id", asked.Id);
            });
            var (line, refusal) = asked.Answer.Task.GetAwaiter().GetResult();
            return refusal is null ? line : throw new InvalidOperationException(refusal);
        }

        private sealed class Question
        {
            public Question(int id) => Id = id;

            public int Id { get; }

            public TaskCompletionSource<(string? Line, string? Refusal)> Answer { get; } =
                new TaskCompletionSource<(string?, string?)>(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }
}
