using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Reflection;
using System.Text.Json;
using System.Threading;

namespace Perflab.Lab
{
    /// <summary>The output of the cell that runs: one line of progress, kept up to date, then the charts.</summary>
    internal sealed class Cell
    {
        // Every update is a message to the browser, and one more of the same kind to the notebook's file.
        private const int UpdateIntervalMs = 250;
        private const int BarCells = 24;

        private readonly string _title;
        private readonly bool _quiet;
        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private readonly Func<Bundle, Action<Bundle>> _screen = FindScreen();
        private Action<Bundle>? _update;
        private long _updatedMs;

        public Cell(string title, bool quiet) => (_title, _quiet) = (title, quiet);

        public bool HasShown { get; private set; }

        public void Progress(JsonElement message)
        {
            if (_quiet || (_update != null && _clock.ElapsedMilliseconds - _updatedMs < UpdateIntervalMs))
            {
                return;
            }
            var done = Math.Clamp(message.Number("done") ?? 0, 0, 1);
            var left = message.Number("seconds_left") is { } seconds ? $"{Math.Round(seconds)} s left" : "";
            var words = new[] { $"{Math.Round(done * 100)} %", message.Text("text"), left };
            var text = string.Join(" · ", words.Where(word => !string.IsNullOrWhiteSpace(word)));
            var bar = new string('#', (int)Math.Round(done * BarCells)).PadRight(BarCells, '.');
            var value = done.ToString(CultureInfo.InvariantCulture);
            Show(
                $"[{bar}] {text}",
                $"<progress max=\"1\" value=\"{value}\" style=\"width: 18em; vertical-align: middle\"></progress> "
                + WebUtility.HtmlEncode(text));
        }

        public void Display(JsonElement data)
        {
            if (!_quiet)
            {
                HasShown = true;
                _screen(new Bundle(data.EnumerateObject().ToDictionary(
                    one => one.Name,
                    one => one.Value.ValueKind == JsonValueKind.String ? one.Value.GetString() ?? "" : one.Value.GetRawText())));
            }
        }

        public void Note(string text)
        {
            if (!_quiet && !string.IsNullOrWhiteSpace(text))
            {
                Console.WriteLine(text);
            }
        }

        /// <summary>Puts a last line in place of the progress, if there was any.</summary>
        public void Finish(string word)
        {
            if (_update != null)
            {
                var text = $"{_title}: {word} after {_clock.ElapsedMilliseconds / 1000} s";
                Show(text, $"<span style=\"opacity: 0.6\">{WebUtility.HtmlEncode(text)}</span>");
            }
        }

        private void Show(string plain, string html)
        {
            var bundle = new Bundle(new Dictionary<string, string> { ["text/plain"] = plain, ["text/html"] = html });
            if (_update is null)
            {
                _update = _screen(bundle);
            }
            else
            {
                _update(bundle);
            }
            _updatedMs = _clock.ElapsedMilliseconds;
        }

        // The lab's own kernel, .NET Interactive, or no kernel at all. Each shows a bundle, and returns what replaces it.
        private static Func<Bundle, Action<Bundle>> FindScreen()
        {
            if (AppDomain.CurrentDomain.GetData("perflab.display") is Func<object, string[], Action<object>> display)
            {
                return bundle => display(bundle, Array.Empty<string>()).Invoke;
            }
            return Interactive.FindScreen() ?? (bundle =>
            {
                Console.WriteLine(bundle);
                return Console.WriteLine;
            });
        }
    }

    /// <summary>.NET Interactive, whose types are found by their names, so that the labkit needs none of its assemblies.</summary>
    internal static class Interactive
    {
        private const string Library = "Microsoft.DotNet.Interactive";

        /// <summary>The sources of all cells, in the order in which they were run; none elsewhere, or in the first cell.</summary>
        public static IReadOnlyList<string> Cells
        {
            get
            {
                var cells = new List<string>();
                // Each script keeps the one before it.
                var script = Property(Property(Property(Context, "HandlingKernel"), "ScriptState"), "Script");
                for (; script != null; script = Property(script, "Previous"))
                {
                    cells.Add(Property(script, "Code") as string ?? "");
                }
                cells.Reverse();
                return cells;
            }
        }

        /// <summary>Cancelled when the cell is interrupted.</summary>
        public static CancellationToken Cancellation =>
            Property(Context, "CancellationToken") is CancellationToken token ? token : CancellationToken.None;

        // Of the cell that runs; null elsewhere.
        private static object? Context => Type.GetType($"{Library}.KernelInvocationContext, {Library}")
            ?.GetProperty("Current")?.GetValue(null);

        public static Func<Bundle, Action<Bundle>>? FindScreen()
        {
            var context = Context;
            var display = Type.GetType($"{Library}.KernelInvocationContextExtensions, {Library}")
                ?.GetMethods()
                .FirstOrDefault(one => one.Name == "Display" && one.GetParameters().Length == 3);
            if (context is null || display is null)
            {
                return null;
            }
            return bundle =>
            {
                var shown = display.Invoke(null, new[] { context, bundle, bundle.MimeTypes });
                var update = shown?.GetType().GetMethod("Update");
                return next => update?.Invoke(shown, new object[] { next });
            };
        }

        private static object? Property(object? instance, string name) => instance?.GetType().GetProperty(name)?.GetValue(instance);
    }

    /// <summary>The attribute that both C# kernels look for by its name on the type of a value.</summary>
    [AttributeUsage(AttributeTargets.Class)]
    internal sealed class TypeFormatterSourceAttribute : Attribute
    {
        public TypeFormatterSourceAttribute(Type formatterSourceType) => FormatterSourceType = formatterSourceType;

        public Type FormatterSourceType { get; }

        public string[] PreferredMimeTypes =>
            FormatterSourceType == typeof(TextFormatters) ? new[] { "text/plain" } : BundleFormatters.MimeTypes;
    }

    /// <summary>A MIME bundle exactly as the lab made it.</summary>
    [TypeFormatterSource(typeof(BundleFormatters))]
    internal sealed class Bundle
    {
        private readonly IReadOnlyDictionary<string, string> _texts;

        public Bundle(IReadOnlyDictionary<string, string> texts) => _texts = texts;

        public string[] MimeTypes => BundleFormatters.MimeTypes.Where(_texts.ContainsKey).ToArray();

        public string? this[string mimeType] => _texts.TryGetValue(mimeType, out var text) ? text : null;

        public override string ToString() => this["text/plain"] ?? "";
    }

    internal sealed class BundleFormatters
    {
        public static readonly string[] MimeTypes =
        {
            "application/vnd.plotly.v1+json", "text/html", "image/png", "image/svg+xml", "text/markdown", "text/plain",
        };

        public IEnumerable<object> CreateTypeFormatters() =>
            MimeTypes.Select(mime => new Formatter(mime, value => (value as Bundle)?[mime]));
    }

    /// <summary>The formatter of values whose text is all there is to see, where a kernel would list their properties.</summary>
    internal sealed class TextFormatters
    {
        public IEnumerable<object> CreateTypeFormatters() => new[] { new Formatter("text/plain", value => value.ToString()) };
    }

    internal sealed class Formatter
    {
        private readonly Func<object, string?> _text;

        public Formatter(string mimeType, Func<object, string?> text) => (MimeType, _text) = (mimeType, text);

        public string MimeType { get; }

        /// <returns>Whether the value has that form.</returns>
        public bool Format(object instance, TextWriter writer)
        {
            var text = _text(instance);
            writer.Write(text);
            return text != null;
        }
    }
}
