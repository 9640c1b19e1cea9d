using System.Collections.Generic;
using System.Linq;
using System.Text.Json;

namespace Perflab.Lab
{
    /// <summary>A thread in one state, from one time of <see cref="Lab.NowNs"/>, or any other common clock, to a later one.</summary>
    public sealed class Span
    {
        /// <param name="thread">Its row.</param>
        /// <param name="state">What it does meanwhile; the same state has the same colour everywhere.</param>
        /// <param name="startNs">In nanoseconds.</param>
        /// <param name="endNs">In nanoseconds.</param>
        /// <param name="note">Shown with the span.</param>
        public Span(string thread, string state, long startNs, long endNs, string note = "") =>
            (Thread, State, StartNs, EndNs, Note) = (thread, state, startNs, endNs, note);

        /// <summary>Its row.</summary>
        public string Thread { get; }

        /// <summary>What it does meanwhile.</summary>
        public string State { get; }

        /// <summary>When that began.</summary>
        public long StartNs { get; }

        /// <summary>When it ended.</summary>
        public long EndNs { get; }

        /// <summary>Shown with the span.</summary>
        public string Note { get; }
    }

    /// <summary>Something that happened at one instant, marked through all threads.</summary>
    public sealed class Moment
    {
        /// <param name="atNs">In nanoseconds, of the spans' clock.</param>
        /// <param name="label">What happened.</param>
        public Moment(long atNs, string label) => (AtNs, Label) = (atNs, label);

        /// <summary>When.</summary>
        public long AtNs { get; }

        /// <summary>What happened.</summary>
        public string Label { get; }
    }

    internal static class TimelineFile
    {
        /// <summary>As <c>./lab timeline</c> reads it.</summary>
        public static string Json(string title, IEnumerable<Span> spans, IEnumerable<Moment>? moments) =>
            JsonSerializer.Serialize(new
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
