using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;

namespace Perflab.Lab
{
    /// <summary>
    /// The lab in a notebook. Each method runs the command of <c>./lab</c> of its name, shows progress and charts in the cell, and
    /// returns the command's result. Interrupting the cell ends the command and its children, and keeps what was measured.
    /// </summary>
    /// <example><code>
    /// #r "../kernels/dotnet/labkit/Lab/target/Perflab.Lab.dll"
    /// using Perflab.Lab;
    /// var lab = new Lab();
    /// </code></example>
    [TypeFormatterSource(typeof(TextFormatters))]
    public sealed class Lab
    {
        private readonly Command _command = new Command(Environment.CurrentDirectory);
        private string? _loaded;

        /// <summary>The time in nanoseconds of a clock that never goes back, for <see cref="Timeline"/>.</summary>
        public static long NowNs => (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));

        /// <summary>Runs any command of <c>./lab</c> with its words, as in <c>lab.Run("runs")</c>.</summary>
        public LabResult Run(string command, params string[] words) => _command.Run(command, words);

        /// <summary>The topics of the lab.</summary>
        public LabResult Topics() => _command.Run("topics");

        /// <summary>Builds a topic, unless nothing has changed since it was built.</summary>
        public LabResult Build(string component) => _command.Run("build", new[] { component });

        /// <summary>Builds a topic, whose variants <see cref="Variant{T}"/> then makes; <c>#r</c> its assemblies in the next cell.</summary>
        public void Load(string component)
        {
            Build(component);
            _loaded = component;
        }

        /// <summary>A topic's scenarios, parameters and variants.</summary>
        public LabResult Describe(string component, Plugin? plugin = null) =>
            _command.Run("describe", new[] { component }, ("plugin", plugin?.Path));

        /// <summary>Measures variants against each other, in fresh processes.</summary>
        /// <param name="component">The topic.</param>
        /// <param name="scenario">The topic's first one by default.</param>
        /// <param name="variants">All that support the scenario by default.</param>
        /// <param name="parameters"><c>new { tasks = 1000, gap_us = 0 }</c> for <c>tasks</c> and <c>gap-us</c>, or a dictionary.</param>
        /// <param name="plugin">A variant of your own, measured with the others.</param>
        /// <param name="baseline">The variant that the others are compared with.</param>
        /// <param name="metric">One of the scenario's other metrics instead of its headline.</param>
        /// <param name="quick">Half a minute.</param>
        /// <param name="rigorous">Half an hour.</param>
        /// <param name="budgetSeconds">No round begins after this time.</param>
        public LabResult Measure(
            string component,
            string? scenario = null,
            IEnumerable<string>? variants = null,
            object? parameters = null,
            Plugin? plugin = null,
            string? baseline = null,
            string? metric = null,
            bool quick = false,
            bool rigorous = false,
            int? budgetSeconds = null) => _command.Run(
                "measure",
                new[] { component },
                ("scenario", scenario),
                // Without names all are measured, the plug-in's among them.
                ("variant", variants?.Concat(plugin?.Variants ?? Enumerable.Empty<string>()).Distinct()),
                ("param", Command.Parameters(parameters)),
                ("plugin", plugin?.Path),
                ("baseline", baseline),
                ("metric", metric),
                ("quick", quick),
                ("rigorous", rigorous),
                ("budget", budgetSeconds));

        /// <summary>
        /// Measures methods without parameters against each other, in fresh processes. The cells that define them are compiled
        /// alone, so they should hold nothing but <c>using</c>, data and methods. The first method is the baseline.
        /// </summary>
        /// <example><code>lab.Bench(new[] { nameof(Linear), nameof(Binary) }, quick: true)</code></example>
        /// <param name="functions">Their names.</param>
        /// <param name="quick">Half a minute.</param>
        /// <param name="rigorous">Half an hour.</param>
        /// <param name="budgetSeconds">No round begins after this time.</param>
        /// <param name="profile">Shows where the time goes instead: <c>cpu</c> or <c>wall</c>.</param>
        public LabResult Bench(
            IEnumerable<string> functions,
            bool quick = false,
            bool rigorous = false,
            int? budgetSeconds = null,
            string? profile = null) => _command.Run(
                "bench",
                functions,
                ("functions", CellSource.FileOf(functions.ToList(), _command.Folder("cells"))),
                ("quick", quick),
                ("rigorous", rigorous),
                ("budget", budgetSeconds),
                ("profile", profile));

        /// <summary>Measures a variant against itself: any difference is this machine's.</summary>
        public LabResult Noise(
            string component,
            string? scenario = null,
            string? variant = null,
            object? parameters = null,
            bool quick = false,
            bool rigorous = false) => _command.Run(
                "noise",
                new[] { component },
                ("scenario", scenario),
                ("variant", variant),
                ("param", Command.Parameters(parameters)),
                ("quick", quick),
                ("rigorous", rigorous));

        /// <summary>Shows where a variant spends its time; against another one, what differs.</summary>
        /// <param name="component">The topic.</param>
        /// <param name="scenario">The topic's first one by default.</param>
        /// <param name="variant">The plug-in's by default.</param>
        /// <param name="against">The variant to compare it with.</param>
        /// <param name="mode"><c>cpu</c>, <c>wall</c> (waiting included), <c>lock</c> or <c>alloc</c>.</param>
        /// <param name="parameters">As of <see cref="Measure"/>.</param>
        /// <param name="plugin">A variant of your own.</param>
        public LabResult Profile(
            string component,
            string? scenario = null,
            string? variant = null,
            string? against = null,
            string? mode = null,
            object? parameters = null,
            Plugin? plugin = null) => _command.Run(
                "profile",
                new[] { component },
                ("scenario", scenario),
                ("variant", variant ?? plugin?.Variants.First()),
                ("against", against),
                ("mode", mode),
                ("param", Command.Parameters(parameters)),
                ("plugin", plugin?.Path));

        /// <summary>A run's chart.</summary>
        public LabResult Chart(LabResult run, string? kind = null) => Chart(run.RequireId(), kind);

        /// <summary>The chart of a run by its id, or of the <c>latest</c>.</summary>
        public LabResult Chart(string run, string? kind = null) => _command.Run("chart", new[] { run }, ("kind", kind));

        /// <summary>Draws what threads did when, a row per thread; moments are marked through all rows.</summary>
        public LabResult Timeline(string title, IEnumerable<Span> spans, IEnumerable<Moment>? moments = null)
        {
            var file = Path.GetTempFileName();
            try
            {
                File.WriteAllText(file, TimelineFile.Json(title, spans, moments));
                return _command.Run("timeline", new[] { file });
            }
            finally
            {
                File.Delete(file);
            }
        }

        /// <summary>Shows a run again, or what changed between two.</summary>
        public LabResult Compare(
            LabResult first, LabResult? second = null, string? variant = null, string? baseline = null, string? metric = null) =>
            _command.Run(
                "compare",
                new[] { first, second }.OfType<LabResult>().Select(run => run.RequireId()),
                ("variant", variant),
                ("baseline", baseline),
                ("metric", metric));

        /// <summary>The verdicts on a report's claims; with <paramref name="statements"/> only what the report says.</summary>
        public LabResult Claims(string report, bool statements = false) =>
            _command.Run("claims", new[] { report }, ("statements", statements));

        /// <summary>
        /// Makes a plug-in of a public class of a cell, and checks that it keeps the topic's contract. The cell is compiled
        /// alone, so it should hold nothing but <c>using</c> and declarations.
        /// </summary>
        /// <typeparam name="T">Implements the topic's interface; has a constructor without parameters.</typeparam>
        public Plugin Variant<T>(string? component = null)
        {
            var name = typeof(T).Name;
            var topic = Topic(component);
            return Plugin.Make(_command, topic, name, CellSource.Declaring(name) ?? throw new LabException(
                $"no cell is known that declares the class {name}",
                "pass its source as text: lab.Variant(\"public class ...\")",
                2));
        }

        /// <summary>As above, from C# source.</summary>
        public Plugin Variant(string source, string? component = null) =>
            Plugin.Make(_command, Topic(component), "the source", source);

        /// <inheritdoc/>
        public override string ToString() => "the lab; lab.Topics() shows what there is";

        private string Topic(string? component)
        {
            if (component != null && component != _loaded)
            {
                Load(component);
            }
            return _loaded ?? throw new LabException("no component is loaded", "begin with lab.Load(\"thread-pool\")", 2);
        }
    }
}
