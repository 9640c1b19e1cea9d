using System;
using System.Globalization;
using System.Linq;
using System.Net;
using Perflab.Lab.Stream;

namespace Perflab.Lab.Show
{
    /// <summary>Progress as a line of text and as a bar of HTML.</summary>
    internal static class ProgressText
    {
        private const int BarCells = 24;

        public static string Plain(StreamMessage message)
        {
            var full = (int)Math.Round(message.Done * BarCells);
            return $"[{new string('#', full)}{new string('.', BarCells - full)}] {Words(message)}";
        }

        public static string Html(StreamMessage message)
        {
            var value = message.Done.ToString(CultureInfo.InvariantCulture);
            return $"<progress max=\"1\" value=\"{value}\" style=\"width: 18em; vertical-align: middle\"></progress> "
                + WebUtility.HtmlEncode(Words(message));
        }

        private static string Words(StreamMessage message)
        {
            var words = new[]
            {
                $"{Math.Round(message.Done * 100)} %",
                message.Text,
                message.SecondsLeft is { } left ? $"{Math.Round(left)} s left" : "",
            };
            return string.Join(" · ", words.Where(word => !string.IsNullOrWhiteSpace(word)));
        }
    }
}
