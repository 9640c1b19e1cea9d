using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Threading;

namespace Perflab.Lab
{
    /// <summary>Runs commands of <c>./lab</c>, whose stream docs/protocol.md describes.</summary>
    internal sealed class Command
    {
        private const string Hook = "perflab.interrupt";
        private const int GraceMs = 15_000; // to end children and to seal the run
        private const int InterruptedStatus = 130; // 128 + SIGINT, as shells say it
        private const int SigInt = 2;
        private const int LogLinesKept = 20;

        private readonly string _root;

        /// <param name="start">A folder of the checkout, or one below it.</param>
        public Command(string start)
        {
            var folder = new DirectoryInfo(start);
            while (folder != null && !(File.Exists(Path.Combine(folder.FullName, "lab"))
                && Directory.Exists(Path.Combine(folder.FullName, "components"))))
            {
                folder = folder.Parent;
            }
            _root = folder?.FullName ?? throw new LabException(
                "this notebook is not inside a checkout of perflab", "open it from the checkout's notebooks folder", 3);
        }

        /// <summary>A folder for what is made on this machine and never committed.</summary>
        public string Folder(string name) => Directory.CreateDirectory(Path.Combine(_root, ".lab", name)).FullName;

        /// <summary>The <c>KEY=VALUE</c>s of an object's properties or a dictionary's entries; <c>gap_us</c> stands for <c>gap-us</c>.</summary>
        public static IEnumerable<string> Parameters(object? values) => values switch
        {
            null => Enumerable.Empty<string>(),
            IDictionary entries => entries.Keys.Cast<object>().Select(key => $"{key}={Text(entries[key])}"),
            _ => values.GetType().GetProperties().Select(one => $"{one.Name.Replace('_', '-')}={Text(one.GetValue(values))}"),
        };

        /// <summary>Runs <c>./lab NAME WORDS --option value ... --stream</c> and shows in the cell what it says.</summary>
        public LabResult Run(string name, IEnumerable<string>? words = null, params (string Name, object? Value)[] options) =>
            Run(name, words, options, quiet: false);

        /// <summary>The same, and the cell shows nothing of it.</summary>
        public LabResult Ask(string name, string word) =>
            Run(name, new[] { word }, Array.Empty<(string, object?)>(), quiet: true);

        private LabResult Run(string name, IEnumerable<string>? words, (string Name, object? Value)[] options, bool quiet)
        {
            var own = (words ?? Enumerable.Empty<string>()).ToList();
            var cell = new Cell(string.Join(" ", own.Prepend(name)), quiet);
            var process = Start(own.Prepend(name).Concat(options.SelectMany(Words)).Append("--stream"));
            using var first = new CancellationTokenSource();
            using var second = new CancellationTokenSource();
            void Interrupt()
            {
                (first.IsCancellationRequested ? second : first).Cancel();
            }

            AppDomain.CurrentDomain.SetData(Hook, (Action)Interrupt);
            using var interactive = Interactive.Cancellation.Register(Interrupt);
            try
            {
                var result = Talk(process, cell, first.Token, second.Token);
                cell.Finish("done");
                return result;
            }
            catch (LabException)
            {
                cell.Finish("stopped");
                throw;
            }
            finally
            {
                AppDomain.CurrentDomain.SetData(Hook, null);
                // An orphaned bench program would spoil the next measurement.
                if (!process.HasExited)
                {
                    process.Kill(entireProcessTree: true);
                }
                process.Dispose();
            }
        }

        private static LabResult Talk(Process process, Cell cell, CancellationToken interrupt, CancellationToken again)
        {
            var lines = new BlockingCollection<string>();
            var log = new Queue<string>();
            // The cell's thread only ever waits on a queue, which an interrupt can end.
            Read(process.StandardOutput, lines.Add, lines.CompleteAdding);
            var logReader = Read(process.StandardError, line => Enqueue(log, line), () => { });
            string LogTail()
            {
                logReader.Join();
                return string.Join("\n", log);
            }

            JsonElement? result = null;
            LabException? failure = null;
            void Take(string line)
            {
                var message = Parsed(line);
                switch (message?.Text("type"))
                {
                    case "progress":
                        cell.Progress(message.Value);
                        break;
                    case "display":
                        cell.Display(message.Value.GetProperty("data"));
                        break;
                    case "note":
                        cell.Note(message.Value.Text("text"));
                        break;
                    case "result":
                        result = message.Value.GetProperty("data");
                        break;
                    case "error":
                        var exit = message.Value.TryGetProperty("exit", out var status) ? status.GetInt32() : 4;
                        failure = new LabException(message.Value.Text("message"), message.Value.Text("hint"), exit);
                        break;
                    default:
                        cell.Note(line);
                        break;
                }
            }

            try
            {
                while (lines.TryTake(out var line, Timeout.Infinite, interrupt))
                {
                    Take(line);
                }
            }
            catch (OperationCanceledException)
            {
                _ = Kill(process.Id, SigInt); // .NET itself can only kill
                var clock = Stopwatch.StartNew();
                try
                {
                    while (lines.TryTake(out var line, (int)Math.Max(0, GraceMs - clock.ElapsedMilliseconds), again))
                    {
                        Take(line);
                    }
                }
                catch (OperationCanceledException)
                {
                    // Interrupted again: the reader does not want to wait.
                }
                if (!process.HasExited)
                {
                    process.Kill(entireProcessTree: true);
                }
                throw new LabException(failure?.Text ?? "interrupted", failure?.Hint ?? LogTail(), InterruptedStatus);
            }
            process.WaitForExit();
            if (failure != null)
            {
                throw failure;
            }
            return result is { } data
                ? new LabResult(data, process.ExitCode, cell.HasShown)
                : throw new LabException(
                    $"./lab ended with status {process.ExitCode} and no result\n{LogTail()}".Trim(), "", process.ExitCode);
        }

        private static JsonElement? Parsed(string line)
        {
            try
            {
                var json = JsonDocument.Parse(line).RootElement;
                return json.ValueKind == JsonValueKind.Object ? json : (JsonElement?)null;
            }
            catch (JsonException)
            {
                // A stray print, which may be the only trace of a fault.
                return null;
            }
        }

        private Process Start(IEnumerable<string> words)
        {
            var start = new ProcessStartInfo(Path.Combine(_root, "lab"))
            {
                WorkingDirectory = _root,
                UseShellExecute = false,
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            };
            foreach (var word in words)
            {
                start.ArgumentList.Add(word);
            }
            var process = Process.Start(start);
            process.StandardInput.Close();
            return process;
        }

        private static Thread Read(TextReader reader, Action<string> take, Action end)
        {
            var thread = new Thread(() =>
            {
                while (reader.ReadLine() is { } line)
                {
                    take(line);
                }
                end();
            }) { IsBackground = true };
            thread.Start();
            return thread;
        }

        private static void Enqueue(Queue<string> log, string line)
        {
            log.Enqueue(line);
            if (log.Count > LogLinesKept)
            {
                log.Dequeue();
            }
        }

        private static IEnumerable<string> Words((string Name, object? Value) option) => option.Value switch
        {
            null => Enumerable.Empty<string>(),
            bool wanted => wanted ? new[] { $"--{option.Name}" } : Enumerable.Empty<string>(),
            IEnumerable<string> values => values.SelectMany(value => new[] { $"--{option.Name}", value }),
            var value => new[] { $"--{option.Name}", Text(value) },
        };

        private static string Text(object? value) => value switch
        {
            bool truth => truth ? "true" : "false",
            IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
            _ => value?.ToString() ?? "",
        };

        [DllImport("libc", EntryPoint = "kill", SetLastError = true)]
        private static extern int Kill(int process, int signal);
    }

    internal static class Json
    {
        /// <summary>A field as text; empty if there is none.</summary>
        public static string Text(this JsonElement message, string name) =>
            message.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() ?? "" : "";

        public static double? Number(this JsonElement message, string name) =>
            message.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.Number ? value.GetDouble() : (double?)null;
    }
}
