using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using Microsoft.CodeAnalysis;

namespace Perflab.RoslynKernel.Execution
{
    /// <summary>What is wrong with a cell, as Jupyter shows it.</summary>
    internal sealed class CellError
    {
        public CellError(string name, string message, IReadOnlyList<string> traceback)
        {
            Name = name;
            Message = message;
            Traceback = traceback;
        }

        public static CellError Interrupted { get; } =
            new CellError("Interrupted", "the cell was interrupted", new[] { "the cell was interrupted" });

        public string Name { get; }

        public string Message { get; }

        public IReadOnlyList<string> Traceback { get; }

        /// <summary>The name under which a cell's lines appear in stack traces.</summary>
        public static string FileName(int number) => $"cell {number}";

        /// <param name="errors">The compiler's, at least one.</param>
        /// <param name="code">The cell.</param>
        public static CellError Of(IReadOnlyList<Diagnostic> errors, string code)
        {
            var lines = code.Split('\n');
            var first = errors[0];
            return new CellError(first.Id, Said(first), errors.SelectMany(error => Shown(error, lines)).ToList());
        }

        /// <summary>With the stack, unless the exception says that its message is all there is to say.</summary>
        public static CellError Of(Exception exception) => new CellError(
            exception.GetType().FullName ?? "Exception",
            exception.Message,
            exception.Data.Contains("perflab.message-only") ? exception.Message.Split('\n') : Traces.Of(exception));

        public void WriteTo(Utf8JsonWriter json)
        {
            json.WriteString("ename", Name);
            json.WriteString("evalue", Message);
            json.WriteStartArray("traceback");
            foreach (var line in Traceback)
            {
                json.WriteStringValue(line);
            }
            json.WriteEndArray();
        }

        private static string Said(Diagnostic error)
        {
            var start = error.Location.GetMappedLineSpan().StartLinePosition;
            var place = error.Location.IsInSource ? $"({start.Line + 1},{start.Character + 1}): " : "";
            return $"{place}error {error.Id}: {error.GetMessage()}";
        }

        private static IEnumerable<string> Shown(Diagnostic error, string[] lines)
        {
            yield return Said(error);
            var start = error.Location.GetMappedLineSpan().StartLinePosition;
            if (error.Location.IsInSource && start.Line < lines.Length)
            {
                var line = lines[start.Line].TrimEnd('\r');
                var number = (start.Line + 1).ToString();
                yield return $"  {number} | {line}";
                // Tabs stay tabs, so that the mark stands below what it means.
                var indent = new string(line.Take(start.Character).Select(c => c == '\t' ? '\t' : ' ').ToArray());
                yield return $"  {new string(' ', number.Length)} | {indent}^";
            }
        }
    }
}
