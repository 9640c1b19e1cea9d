using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Perflab.Lab.Stream
{
    /// <summary>
    /// One <c>./lab COMMAND ... --stream</c> process, read line by line by threads of its own, so that the cell's thread only ever
    /// waits on a queue, which an interrupt can end.
    /// </summary>
    internal sealed class LabProcess : IDisposable
    {
        private const int LogLinesKept = 20;
        private const int SigInt = 2;

        private readonly Process _process;
        private readonly BlockingCollection<string> _lines = new BlockingCollection<string>();
        private readonly Queue<string> _log = new Queue<string>();
        private readonly Thread _logReader;
        private bool _isDisposed;

        public LabProcess(string launcher, IEnumerable<string> words, string folder)
        {
            var start = new ProcessStartInfo(launcher)
            {
                WorkingDirectory = folder,
                UseShellExecute = false,
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            };
            foreach (var word in words)
            {
                start.ArgumentList.Add(word);
            }
            _process = Process.Start(start);
            _process.StandardInput.Close();
            Started(ReadLines, "perflab stdout");
            _logReader = Started(ReadLog, "perflab stderr");
        }

        /// <summary>The next line of its standard output; null if it has ended, or there is none within the time.</summary>
        /// <exception cref="OperationCanceledException">An interrupt has come.</exception>
        public string? Next(int timeoutMs, CancellationToken interrupt) =>
            _lines.TryTake(out var line, timeoutMs, interrupt) ? line : null;

        /// <summary>Its exit status, once it has ended.</summary>
        public int ExitStatus()
        {
            _process.WaitForExit();
            return _process.ExitCode;
        }

        /// <summary>The last lines of its standard error, once it has ended.</summary>
        public string LogTail()
        {
            _logReader.Join();
            return string.Join("\n", _log);
        }

        /// <summary>What Ctrl+C does in a terminal; .NET itself can only kill.</summary>
        public void Interrupt() => _ = Kill(_process.Id, SigInt);

        /// <summary>Ends what is left of it, with its children: an orphaned bench program would spoil the next measurement.</summary>
        public void Dispose()
        {
            if (_isDisposed)
            {
                return;
            }
            _isDisposed = true;
            if (!_process.HasExited)
            {
                _process.Kill(entireProcessTree: true);
            }
            _process.Dispose();
        }

        [DllImport("libc", EntryPoint = "kill", SetLastError = true)]
        private static extern int Kill(int process, int signal);

        private static Thread Started(ThreadStart read, string name)
        {
            var thread = new Thread(read) { IsBackground = true, Name = name };
            thread.Start();
            return thread;
        }

        private void ReadLines()
        {
            while (_process.StandardOutput.ReadLine() is { } line)
            {
                _lines.Add(line);
            }
            _lines.CompleteAdding();
        }

        private void ReadLog()
        {
            while (_process.StandardError.ReadLine() is { } line)
            {
                if (_log.Count == LogLinesKept)
                {
                    _log.Dequeue();
                }
                _log.Enqueue(line);
            }
        }
    }
}
