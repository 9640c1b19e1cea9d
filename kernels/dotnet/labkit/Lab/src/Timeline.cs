using System.Collections.Generic;
using System.Linq;
using System.Text.Json;

namespace Perflab.Lab
{
    /// <summary>A thread in one state, from a time of <see cref="Lab.NowNs"/> to a later one.</summary>
    public sealed class Span
    {
        /// <summary>The same state has the same colour everywhere; the note is shown with the span.</summary>
        public Span(string thread, string state, long startNs, long endNs, string note = "") =>
            (Thread, State, StartNs, EndNs, Note) = (thread, state, startNs, endNs, note);

        /// <summary>The row.</summary>
        public string Thread { get; }

        /// <summary>What the thread does.</summary>
        public string State { get; }

        /// <summary>In nanoseconds.</summary>
        public long StartNs { get; }

        /// <summary>In nanoseconds.</summary>
        public long EndNs { get; }

        /// <summary>Shown with the span.</summary>
        public string Note { get; }
    }

    /// <summary>Something that happened at one instant, marked through all threads.</summary>
    public sealed class Moment
    {
        /// <summary>The time is of the spans' clock.</summary>
        public Moment(long atNs, string label) => (AtNs, Label) = (atNs, label);

        /// <summary>In nanoseconds.</summary>
        public long AtNs { get; }

        /// <summary>What happened.</summary>
        public string Label { get; }
    }

    internal static class TimelineFile
    {
        public static string Json(string title, IEnumerable<Span> spans, IEnumerable<Moment>? moments) => JsonSerializer.Serialize(new
        {
            title,
            spans = spans.Select(one => new
            {
                thread = one.Thread,
                state = one.State,
                start_ns = one.StartNs,
                end_ns = one.EndNs,
                note = one.Note,
            }),
            moments = (moments ?? Enumerable.Empty<Moment>()).Select(one => new { at_ns = one.AtNs, label = one.Label }),
        });
    }
}
