using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Perflab.Lab.Show;
using Perflab.Lab.Variants;

namespace Perflab.Lab
{
    /// <summary>
    /// The lab in a notebook. Every method starts the command of <c>./lab</c> that is called like it, shows in the cell how far
    /// it is and what it found, and returns what the command returned. Measuring happens in fresh processes, never in the
    /// kernel, whose JIT history and heap would spoil it.
    /// </summary>
    /// <remarks>A failure is a <see cref="LabException"/>. Interrupting the cell ends the command and its children, and keeps what
    /// was measured.</remarks>
    /// <example><code>
    /// #r "../kernels/dotnet/labkit/Lab/target/Perflab.Lab.dll"
    /// using Perflab.Lab;
    /// var lab = new Lab();
    /// </code></example>
    [TypeFormatterSource(typeof(TextFormatters), PreferredMimeTypes = new[] { TextFormatters.MimeType })]
    public sealed class Lab
    {
        private readonly Checkout _checkout = Checkout.Above(Environment.CurrentDirectory);
        private readonly CommandRunner _commands;
        private string? _loaded;

        /// <summary>Finds the checkout that the notebook is in.</summary>
        /// <exception cref="LabException">It is in none.</exception>
        public Lab() => _commands = new CommandRunner(_checkout);

        /// <summary>The time, in nanoseconds of a clock that never goes back: what <see cref="Timeline"/> wants.</summary>
        public static long NowNs => (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));

        /// <summary>The topics of the lab, and the bottleneck that each is about.</summary>
        public LabResult Topics() => _commands.Run("topics");

        /// <summary>Builds a component with its own tool, unless nothing has changed since it was built.</summary>
        public LabResult Build(string component) => _commands.Run("build", component);

        /// <summary>
        /// Builds a component, and takes it for the one whose variants <see cref="Variant{T}"/> makes. Its assemblies come into
        /// the notebook by <c>#r</c> in the next cell.
        /// </summary>
        public void Load(string component)
        {
            Build(component);
            _loaded = component;
        }

        /// <summary>A component's scenarios with their parameters, and its variants.</summary>
        public LabResult Describe(string component, Plugin? plugin = null) =>
            _commands.Run("describe", component, options => options.Option("plugin", plugin?.Path));

        /// <summary>
        /// Measures variants against each other: rounds of fresh processes in random order, until the intervals are narrow enough
        /// or the time is over.
        /// </summary>
        /// <param name="component">The topic.</param>
        /// <param name="scenario">What is measured; the component's first one without it.</param>
        /// <param name="variants">Names from <see cref="Describe"/>; all that support the scenario without it.</param>
        /// <param name="parameters">An object whose properties are parameters, as in <c>new { tasks = 1000, gap_us = 0 }</c> for
        /// <c>tasks</c> and <c>gap-us</c>, or a dictionary with the names as they are.</param>
        /// <param name="plugin">A variant of the reader's own, measured with the others.</param>
        /// <param name="baseline">The variant that the others are compared with.</param>
        /// <param name="metric">One of the scenario's further metrics instead of its headline.</param>
        /// <param name="quick">Half a minute: which way it goes.</param>
        /// <param name="rigorous">Half an hour: to publish.</param>
        /// <param name="budgetSeconds">Begins no round after this time.</param>
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
            int? budgetSeconds = null) => _commands.Run("measure", component, options =>
        {
            // No variant named means all of them, the plug-in's among them.
            var chosen = variants?.Concat(plugin?.Variants ?? Enumerable.Empty<string>()).Distinct();
            options
                .Option("scenario", scenario)
                .Each("variant", chosen ?? Enumerable.Empty<string>())
                .Parameters(parameters)
                .Option("plugin", plugin?.Path)
                .Option("baseline", baseline)
                .Option("metric", metric)
                .Flag("quick", quick)
                .Flag("rigorous", rigorous)
                .Option("budget", budgetSeconds);
        });

        /// <summary>
        /// Measures functions without arguments against each other, in fresh processes, without a topic: each process calls one of
        /// them over and over. The cells that define them are compiled alone, without the notebook's variables, so they should
        /// hold nothing but <c>using</c>, data and methods.
        /// </summary>
        /// <example><code>lab.Bench(new[] { nameof(Linear), nameof(Binary) }, quick: true)</code></example>
        /// <param name="functions">Their names; the first is the baseline.</param>
        /// <param name="quick">Half a minute: which way it goes.</param>
        /// <param name="rigorous">Half an hour: to publish.</param>
        /// <param name="budgetSeconds">Begins no round after this time.</param>
        /// <param name="profile">Shows where the time goes, and measures nothing: <c>cpu</c> or <c>wall</c>.</param>
        public LabResult Bench(
            IEnumerable<string> functions,
            bool quick = false,
            bool rigorous = false,
            int? budgetSeconds = null,
            string? profile = null)
        {
            var names = functions.ToList();
            var file = CellSource.FileOf(names, Path.Combine(_checkout.Generated, "cells"));
            return _commands.Run("bench", null, options => names.Aggregate(options, (all, name) => all.Word(name))
                .Option("functions", file)
                .Flag("quick", quick)
                .Flag("rigorous", rigorous)
                .Option("budget", budgetSeconds)
                .Option("profile", profile));
        }

        /// <summary>Measures a variant against itself: whatever differs then is this machine.</summary>
        public LabResult Noise(
            string component,
            string? scenario = null,
            string? variant = null,
            object? parameters = null,
            bool quick = false,
            bool rigorous = false) => _commands.Run("noise", component, options => options
                .Option("scenario", scenario)
                .Option("variant", variant)
                .Parameters(parameters)
                .Flag("quick", quick)
                .Flag("rigorous", rigorous));

        /// <summary>
        /// Where a variant spends its time, as a flame view and a table of causes; against another variant, what differs.
        /// </summary>
        /// <param name="component">The topic.</param>
        /// <param name="scenario">What it does meanwhile.</param>
        /// <param name="variant">Whose time it is; the plug-in's without it.</param>
        /// <param name="against">The variant to compare it with.</param>
        /// <param name="mode"><c>cpu</c>, <c>wall</c> (waiting included), <c>lock</c> or <c>alloc</c>.</param>
        /// <param name="parameters">As of <see cref="Measure"/>.</param>
        /// <param name="plugin">A variant of the reader's own.</param>
        public LabResult Profile(
            string component,
            string? scenario = null,
            string? variant = null,
            string? against = null,
            string? mode = null,
            object? parameters = null,
            Plugin? plugin = null) => _commands.Run("profile", component, options => options
                .Option("scenario", scenario)
                .Option("variant", variant ?? plugin?.Variants.First())
                .Option("against", against)
                .Option("mode", mode)
                .Parameters(parameters)
                .Option("plugin", plugin?.Path));

        /// <summary>A run's chart.</summary>
        public LabResult Chart(LabResult run, string? kind = null) => Chart(run.RequireId(), kind);

        /// <summary>The chart of a run by its id, or of the <c>latest</c>.</summary>
        public LabResult Chart(string run, string? kind = null) =>
            _commands.Run("chart", run, options => options.Option("kind", kind));

        /// <summary>What threads did when, as a picture with a row per thread.</summary>
        /// <param name="title">Of the picture.</param>
        /// <param name="spans">At least one.</param>
        /// <param name="moments">What is marked through all rows.</param>
        public LabResult Timeline(string title, IEnumerable<Span> spans, IEnumerable<Moment>? moments = null)
        {
            var file = Path.GetTempFileName();
            try
            {
                File.WriteAllText(file, TimelineFile.Json(title, spans, moments));
                return _commands.Run("timeline", file);
            }
            finally
            {
                File.Delete(file);
            }
        }

        /// <summary>What a run says again, or what changed between two.</summary>
        public LabResult Compare(
            LabResult first, LabResult? second = null, string? variant = null, string? baseline = null, string? metric = null) =>
            _commands.Run("compare", first.RequireId(), options => options
                .Word(second?.RequireId())
                .Option("variant", variant)
                .Option("baseline", baseline)
                .Option("metric", metric));

        /// <summary>The verdicts on a report's claims.</summary>
        /// <param name="report">The report, as in <c>catga-threading</c>.</param>
        /// <param name="statements">Only what the report says, for readers who want to predict.</param>
        public LabResult Claims(string report, bool statements = false) =>
            _commands.Run("claims", report, options => options.Flag("statements", statements));

        /// <summary>
        /// Makes a plug-in of a public class that a cell of this notebook defines, and checks that it keeps the component's
        /// contract. The cell is compiled on its own, so it should hold nothing but <c>using</c> and declarations. Where the
        /// kernel does not tell its cells, the source is passed as text.
        /// </summary>
        /// <typeparam name="T">Implements the component's interface; has a constructor without arguments.</typeparam>
        public Plugin Variant<T>(string? component = null) =>
            Plugins(component).FromCell(typeof(T));

        /// <summary>As above, from C# source.</summary>
        public Plugin Variant(string source, string? component = null) => Plugins(component).FromText(source);

        /// <inheritdoc/>
        public override string ToString() => "the lab; lab.Topics() shows what there is";

        private PluginFactory Plugins(string? component)
        {
            if (component != null && component != _loaded)
            {
                Load(component);
            }
            return new PluginFactory(
                _checkout,
                _commands,
                _loaded ?? throw new LabException("no component is loaded", "begin with lab.Load(\"thread-pool\")", 2));
        }
    }
}
