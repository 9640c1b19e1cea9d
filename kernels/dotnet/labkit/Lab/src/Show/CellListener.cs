using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Net;
using Perflab.Lab.Stream;

namespace Perflab.Lab.Show
{
    /// <summary>
    /// Shows what a command says in the output of the cell that runs: one line of progress, kept up to date, then the charts.
    /// </summary>
    internal sealed class CellListener : IListener
    {
        // Every update is a message to the browser, and one more of the same kind to the notebook's file.
        private const int UpdateIntervalMs = 250;

        private readonly Screen _screen;
        private readonly string _title;
        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private Action<Bundle>? _update;
        private long _updatedMs;

        public CellListener(Screen screen, string title)
        {
            _screen = screen;
            _title = title;
        }

        /// <summary>How many bundles were shown.</summary>
        public int Bundles { get; private set; }

        public void Progress(StreamMessage message)
        {
            if (_update is null || _clock.ElapsedMilliseconds - _updatedMs >= UpdateIntervalMs)
            {
                Show(ProgressText.Plain(message), ProgressText.Html(message));
            }
        }

        public void Display(StreamMessage message)
        {
            Bundles++;
            _screen.Show(new Bundle(message.Bundle));
        }

        public void Note(string text) => Console.WriteLine(text);

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
                _update = _screen.Show(bundle);
            }
            else
            {
                _update(bundle);
            }
            _updatedMs = _clock.ElapsedMilliseconds;
        }
    }
}
