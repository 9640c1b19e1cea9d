using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>A component's bench program.</summary>
    /// <remarks>
    /// <code>
    /// component                labkit                                     perflab
    /// new Bench("thread-pool") -> describe | run | contract | --help  ->  JSON, one object a line, on standard output
    ///   scenarios                 warm-up, samples
    ///   variants
    /// </code>
    /// Nothing here computes a statistic over samples: a sample leaves as operations, nanoseconds, counters and a
    /// set of percentiles, and <c>perflab</c> judges it.
    /// </remarks>
    /// <typeparam name="TSubject">what a variant hands to a scenario</typeparam>
    public sealed class Bench<TSubject>
    {
        internal const int ProtocolVersion = 1;

        private readonly List<IScenario<TSubject>> _scenarios = new List<IScenario<TSubject>>();
        private readonly List<Variant<TSubject>> _variants = new List<Variant<TSubject>>();
        private readonly List<Check<TSubject>> _contract = new List<Check<TSubject>>();
        private Func<string, List<Variant<TSubject>>>? _plugins;

        public Bench(string component) => Component = component;

        public string Component { get; }

        public IReadOnlyList<IScenario<TSubject>> AllScenarios => _scenarios;

        public IReadOnlyList<Check<TSubject>> AllChecks => _contract;

        public IReadOnlyList<Variant<TSubject>> AllVariants => _variants;

        public Bench<TSubject> Scenarios(IEnumerable<IScenario<TSubject>> scenarios)
        {
            _scenarios.AddRange(scenarios);
            return this;
        }

        public Bench<TSubject> Variants(IEnumerable<Variant<TSubject>> variants)
        {
            _variants.AddRange(variants);
            return this;
        }

        /// <summary>What every variant has to keep, for the <c>contract</c> command.</summary>
        public Bench<TSubject> Contract(IEnumerable<Check<TSubject>> checks)
        {
            _contract.AddRange(checks);
            return this;
        }

        /// <summary>Takes in variants of the reader's own.</summary>
        /// <param name="adapter">makes a subject of a source of fresh instances</param>
        /// <typeparam name="TService">the interface that a plug-in's class implements</typeparam>
        public Bench<TSubject> Plugins<TService>(Func<Func<TService>, TSubject> adapter)
        {
            _plugins = path => Perflab.Bench.Plugins.Load(path, adapter);
            return this;
        }

        /// <summary>Runs the program.</summary>
        /// <returns>its exit status</returns>
        public int Main(string[] args)
        {
            using var protocol = new StreamWriter(Console.OpenStandardOutput());
            // Whatever a library or a plug-in prints must not end up between the lines of the protocol.
            Console.SetOut(Console.Error);
            return Run(args, protocol);
        }

        /// <summary>Runs one command and returns.</summary>
        /// <param name="args">the command and its options</param>
        /// <param name="out">where the protocol's lines go</param>
        /// <returns>the exit status</returns>
        public int Run(string[] args, TextWriter @out) => new Commands<TSubject>(this, @out).Execute(args);

        internal IScenario<TSubject> Scenario(string name) =>
            _scenarios.Find(scenario => scenario.Spec.Name == name)
            ?? throw UsageException.Unknown("scenario", name);

        internal Variant<TSubject> Variant(string name, string? plugin) =>
            VariantsWith(plugin).Find(variant => variant.Name == name) ?? throw UsageException.Unknown("variant", name);

        /// <summary>The component's variants, and those of the plug-in if there is one.</summary>
        internal List<Variant<TSubject>> VariantsWith(string? plugin)
        {
            var all = new List<Variant<TSubject>>(_variants);
            foreach (Variant<TSubject> yours in plugin == null ? new List<Variant<TSubject>>() : PluggedIn(plugin))
            {
                if (all.Any(variant => variant.Name == yours.Name))
                {
                    throw new UsageException(
                        $"the plug-in's class {yours.Description} would be called '{yours.Name}', and there is such a "
                        + "variant already: give it another name");
                }

                all.Add(yours);
            }

            return all;
        }

        internal List<Variant<TSubject>> PluggedIn(string plugin) =>
            _plugins?.Invoke(plugin) ?? throw new UsageException($"the component '{Component}' takes no plug-ins");
    }
}
