using System;
using System.Collections.Concurrent;
using System.Text.Json;
using System.Threading;
using Perflab.RoslynKernel.Display;
using Perflab.RoslynKernel.Execution;
using Perflab.RoslynKernel.Language;
using Perflab.RoslynKernel.Scripting;

namespace Perflab.RoslynKernel.Wire
{
    /// <summary>
    /// Answers requests, one after the other on a thread of its own; only interrupts and input are taken while a cell runs.
    /// </summary>
    internal sealed class Host
    {
        private const int CellStackBytes = 16 << 20;

        private readonly Pipe _pipe;
        private readonly BlockingCollection<Request> _requests = new BlockingCollection<Request>();
        private readonly Session _session = new Session();
        private readonly Output _output;
        private readonly Input _input;
        private readonly CellRunner _runner;

        public Host(Pipe pipe)
        {
            _pipe = pipe;
            _output = new Output(pipe);
            _input = new Input(pipe, _output);
            _runner = new CellRunner(_session, _output);
        }

        /// <summary>Until the parent closes the pipe, which it does when it ends, however it ends.</summary>
        public void Run()
        {
            _output.TakeConsole();
            Console.SetIn(_input);
            Displayed.Output = _output;
            Offer();
            new Thread(Work, CellStackBytes) { IsBackground = true, Name = "cells" }.Start();
            while (_pipe.Read() is { } request)
            {
                if (request.Kind == "interrupt")
                {
                    Interrupt();
                }
                else if (request.Kind == "input")
                {
                    _input.Answer(request);
                }
                else
                {
                    _requests.Add(request);
                }
            }
        }

        // What the labkit finds by name, without a reference to this program: the cells, which it compiles into plug-ins, and how
        // to show something and replace it.
        private void Offer()
        {
            Func<object, string[], Action<object>> display = (value, mimeTypes) => new Displayed(value, mimeTypes).Update;
            AppDomain.CurrentDomain.SetData("perflab.display", display);
            AppDomain.CurrentDomain.SetData("perflab.cells", _session.Sources);
        }

        private void Interrupt()
        {
            // A cell that waits for another process may want to end that first, and is given the time.
            if (AppDomain.CurrentDomain.GetData("perflab.interrupt") is Action asked)
            {
                _pipe.Write(json => json.WriteString("type", "patience"));
                asked();
            }
            else
            {
                _runner.Interrupt();
            }
        }

        private void Work()
        {
            _session.WarmUp();
            foreach (var request in _requests.GetConsumingEnumerable())
            {
                Answer(request);
            }
        }

        private void Answer(Request request)
        {
            Action<Utf8JsonWriter> answer;
            try
            {
                answer = request.Kind switch
                {
                    "execute" => Executed(_runner.Run(request.Code, request.Number)),
                    "complete" => Completed(request),
                    _ => throw new ArgumentException($"no request of the kind '{request.Kind}'"),
                };
            }
            catch (Exception defect)
            {
                // Of this program, not of the cell: shown whole, so that it can be reported.
                answer = Executed(new CellError(defect.GetType().Name, defect.Message, new[] { defect.ToString() }));
            }
            _pipe.Write(json =>
            {
                json.WriteString("type", "reply");
                json.WriteNumber("id", request.Id);
                answer(json);
            });
        }

        private static Action<Utf8JsonWriter> Executed(CellError? error) => json =>
        {
            json.WriteString("status", error is null ? "ok" : "error");
            error?.WriteTo(json);
        };

        private Action<Utf8JsonWriter> Completed(Request request)
        {
            var (start, items) = Completion.At(_session, request.Code, request.Cursor);
            return json =>
            {
                json.WriteNumber("start", start);
                json.WriteNumber("end", request.Cursor);
                json.WriteStartArray("items");
                foreach (var (text, kind) in items)
                {
                    json.WriteStartObject();
                    json.WriteString("text", text);
                    json.WriteString("kind", kind);
                    json.WriteEndObject();
                }
                json.WriteEndArray();
            };
        }
    }
}
