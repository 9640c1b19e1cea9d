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
        private int _asked;
        private volatile TaskCompletionSource<Request>? _answer;

        public Input(Pipe pipe, Output output) => (_pipe, _output) = (pipe, output);

        /// <summary>Takes an answer. One to a question that an interrupted cell has asked has come too late.</summary>
        public void Answer(Request request)
        {
            if (request.Id == _asked)
            {
                _answer?.TrySetResult(request);
            }
        }

        public override string? ReadLine()
        {
            if (Peek() < 0)
            {
                return null;
            }
            var line = _rest.Substring(0, _rest.Length - 1);
            _rest = "";
            return line;
        }

        public override int Peek()
        {
            if (_rest.Length == 0 && Ask() is { } line)
            {
                _rest = line + "\n";
            }
            return _rest.Length > 0 ? _rest[0] : -1;
        }

        public override int Read()
        {
            var next = Peek();
            _rest = next < 0 ? _rest : _rest.Substring(1);
            return next;
        }

        // Null is the end of the input. An interrupt ends the wait.
        private string? Ask()
        {
            var answer = new TaskCompletionSource<Request>(TaskCreationOptions.RunContinuationsAsynchronously);
            (_answer, _asked) = (answer, _asked + 1);
            _output.Flush();
            _pipe.Write(json =>
            {
                json.WriteString("type", "input");
                json.WriteNumber("id", _asked);
            });
            var request = answer.Task.GetAwaiter().GetResult();
            return request.Refusal is null ? request.Line : throw new System.InvalidOperationException(request.Refusal);
        }
    }
}
