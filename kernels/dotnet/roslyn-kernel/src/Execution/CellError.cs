using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Microsoft.CodeAnalysis;
using Perflab.RoslynKernel.Scripting;

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

    /// <summary>An exception's stack as the notebook's reader knows it: cells, lines and columns, without this program.</summary>
    internal static class Traces
    {
        private const int FramesShown = 30;

        public static IReadOnlyList<string> Of(Exception exception)
        {
            var lines = new List<string>();
            for (Exception? one = exception; one != null; one = one.InnerException)
            {
                lines.Add($"{(lines.Count > 0 ? "caused by " : "")}{one.GetType().FullName}: {one.Message}");
                lines.AddRange(Frames(one));
            }
            return lines;
        }

        private static IEnumerable<string> Frames(Exception exception)
        {
            var frames = new StackTrace(exception, fNeedFileInfo: true).GetFrames() ?? Array.Empty<StackFrame>();
            var shown = frames.OfType<StackFrame>().Where(IsOfTheReader).Select(frame => "   at " + Described(frame)).ToList();
            return shown.Count <= FramesShown
                ? shown
                : shown.Take(FramesShown).Append($"   ... and {shown.Count - FramesShown} more");
        }

        private static bool IsOfTheReader(StackFrame frame)
        {
            var type = frame.GetMethod()?.DeclaringType;
            return type != null
                && type.Assembly != typeof(Traces).Assembly
                && type.Namespace != typeof(TaskAwaiter).Namespace
                && type.Namespace != "System.Runtime.ExceptionServices"
                && type.FullName != "System.Runtime.ControlledExecution"
                && !(IsSubmission(type) && frame.GetFileLineNumber() == 0);
        }

        private static string Described(StackFrame frame)
        {
            var method = frame.GetMethod()!;
            var file = frame.GetFileName();
            var place = file is null
                ? ""
                : $"{file}, line {frame.GetFileLineNumber()}, column {frame.GetFileColumnNumber()}";
            var name = Name(method);
            return place.Length == 0 ? name : name.Length == 0 ? place : $"{name} in {place}";
        }

        // The compiler's own names: <<Initialize>>d__0.MoveNext is the cell itself, <Name>d__1.MoveNext an async method or an
        // iterator, and <Cell> the type around all that a cell declares.
        private static string Name(MethodBase method)
        {
            var type = method.DeclaringType!;
            if (method.Name == "MoveNext" && type.Name.StartsWith("<", StringComparison.Ordinal))
            {
                var name = type.Name.Substring(1, type.Name.LastIndexOf('>') - 1);
                return name == "<Initialize>" ? "" : $"{Prefix(type.DeclaringType)}{name}()";
            }
            var parameters = string.Join(", ", method.GetParameters().Select(one => one.ParameterType.Name));
            return $"{Prefix(type)}{method.Name}({parameters})";
        }

        private static string Prefix(Type? type)
        {
            if (type is null || IsSubmission(type))
            {
                return "";
            }
            return type.Name.StartsWith("<", StringComparison.Ordinal)
                ? Prefix(type.DeclaringType)
                : type.DeclaringType is null ? $"{type.FullName}." : $"{Prefix(type.DeclaringType)}{type.Name}.";
        }

        private static bool IsSubmission(Type type) => type.Name == Session.CellClass;
    }
}
