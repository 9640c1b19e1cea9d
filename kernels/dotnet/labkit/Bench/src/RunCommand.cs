using System.Collections.Generic;

namespace Perflab.Bench
{
    /// <summary>
    /// Measures one scenario of one variant: a <c>start</c> line, <c>sample</c> lines, an <c>end</c> line.
    /// </summary>
    internal sealed class RunCommand<TSubject>
    {
        private readonly Bench<TSubject> _bench;
        private readonly ProtocolWriter _writer;

        public RunCommand(Bench<TSubject> bench, ProtocolWriter writer) => (_bench, _writer) = (bench, writer);

        public int Run(CommandLine line)
        {
            var options = new RunOptions(line);
            IScenario<TSubject> scenario = _bench.Scenario(line.Required("--scenario"));
            Variant<TSubject> variant = _bench.Variant(line.Required("--variant"), line.Value("--plugin"));
            string name = scenario.Spec.Name;
            if (!variant.Supports(name))
            {
                throw new UsageException(
                    $"variant '{variant.Name}' does not support scenario '{name}'", variant.Scenarios);
            }

            var parameters = new Parameters(scenario.Spec.Parameters, line.Pairs("--param"));
            _writer.Line(Start(name, variant.Name, parameters, options.Seed));
            var checks = new Checks();
            var loop = new SampleLoop(options, _writer);
            var setting = new Setting(parameters, options.Seed, checks);
            using (IExperiment experiment = scenario.Open(variant.Subject, setting))
            {
                loop.Run(experiment);
            }

            _writer.Line(End(options.Samples, loop, checks));
            return 0;
        }

        private Dictionary<string, object> Start(string scenario, string variant, Parameters parameters, long seed) =>
            new Dictionary<string, object>
            {
                ["type"] = "start",
                ["protocol"] = Bench<TSubject>.ProtocolVersion,
                ["component"] = _bench.Component,
                ["scenario"] = scenario,
                ["variant"] = variant,
                ["params"] = parameters.ToJson(),
                ["seed"] = seed,
                ["runtime"] = RuntimeInfo.ToJson(),
            };

        private static Dictionary<string, object> End(int samples, SampleLoop loop, Checks checks) =>
            new Dictionary<string, object>
            {
                ["type"] = "end",
                ["samples"] = samples,
                ["ops"] = ProtocolWriter.Shortest(loop.Ops),
                ["ns"] = loop.Ns,
                ["validation"] = new Dictionary<string, object> { ["passed"] = true, ["checks"] = checks.Passed },
            };
    }
}
