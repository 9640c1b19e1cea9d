using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>Runs a command, and turns every way to fail into one error line and its exit status.</summary>
    internal sealed class Commands<TSubject>
    {
        private const long NsPerMs = 1_000_000;

        /// <summary>How many times as long as asked a sample may last by the wall clock.</summary>
        private const long MostWall = 4;

        private static readonly Dictionary<string, string[]> s_options = new Dictionary<string, string[]>
        {
            ["describe"] = new[] { "--plugin" },
            ["run"] = new[]
            {
                "--scenario", "--variant", "--plugin", "--param", "--warmup-ms", "--sample-ms", "--samples", "--seed",
            },
            ["contract"] = new[] { "--plugin", "--variant", "--limit-ms" },
        };

        private readonly Bench<TSubject> _bench;
        private readonly TextWriter _out;
        private readonly ProtocolWriter _writer;

        public Commands(Bench<TSubject> bench, TextWriter @out) =>
            (_bench, _out, _writer) = (bench, @out, new ProtocolWriter(@out));

        public int Execute(string[] args)
        {
            try
            {
                return Dispatch(args);
            }
            catch (BenchException known)
            {
                _writer.Error(known.Kind, known.Message, known.Allowed);
                return (int)known.Kind;
            }
            catch (Exception thrown)
            {
                Console.Error.WriteLine(thrown);
                _writer.Error(
                    ErrorKind.Internal, $"{thrown.GetType().FullName}: {thrown.Message}", Array.Empty<string>());
                return (int)ErrorKind.Internal;
            }
        }

        private int Dispatch(string[] args)
        {
            if (args.Contains("--help") || args.Contains("-h"))
            {
                return Help();
            }

            string command = args.FirstOrDefault() ?? "";
            if (!s_options.TryGetValue(command, out string[]? known))
            {
                throw new UsageException($"unknown command '{command}'", s_options.Keys);
            }

            var line = new CommandLine(args.Skip(1), known);
            return command switch
            {
                "describe" => Describe(line),
                "run" => Run(line),
                _ => Contract(line),
            };
        }

        private int Help()
        {
            _out.WriteLine(
                $"{_bench.Component}-bench speaks the bench protocol, version {Bench<TSubject>.ProtocolVersion}.");
            foreach ((string command, string[] options) in s_options)
            {
                _out.WriteLine($"  {command} {string.Join(' ', options.Select(option => $"[{option} VALUE]"))}");
            }

            _out.Flush();
            return 0;
        }

        private int Describe(CommandLine line)
        {
            string[] scenarios = _bench.AllScenarios.Select(scenario => scenario.Spec.Name).ToArray();
            _writer.Line(new Dictionary<string, object>
            {
                ["protocol"] = Bench<TSubject>.ProtocolVersion,
                ["component"] = _bench.Component,
                ["runtime"] = RuntimeInfo.ToJson(),
                ["scenarios"] = _bench.AllScenarios.Select(scenario => scenario.Spec.ToJson()).ToArray(),
                ["variants"] = _bench.VariantsWith(line.Value("--plugin"))
                    .Select(variant => variant.ToJson(scenarios))
                    .ToArray(),
            });
            return 0;
        }

        /// <summary>
        /// Measures one scenario of one variant: a <c>start</c> line, <c>sample</c> lines, an <c>end</c> line. A sample is
        /// written after its last timed region and before the next one.
        /// </summary>
        private int Run(CommandLine line)
        {
            long warmupMs = line.Whole("--warmup-ms", 1_000, 0);
            long sampleMs = line.Whole("--sample-ms", 1_000, 1);
            long samples = line.Whole("--samples", 5, 1);
            long seed = line.Whole("--seed", 1, long.MinValue);
            IScenario<TSubject> scenario = _bench.Scenario(line.Required("--scenario"));
            Variant<TSubject> variant = _bench.Variant(line.Required("--variant"), line.Value("--plugin"));
            string name = scenario.Spec.Name;
            if (!variant.Supports(name))
            {
                throw new UsageException($"variant '{variant.Name}' does not support scenario '{name}'");
            }

            var parameters = new Parameters(scenario.Spec.Parameters, line.Pairs("--param"));
            _writer.Line(new Dictionary<string, object>
            {
                ["type"] = "start",
                ["protocol"] = Bench<TSubject>.ProtocolVersion,
                ["component"] = _bench.Component,
                ["scenario"] = name,
                ["variant"] = variant.Name,
                ["params"] = parameters.ToJson(),
                ["seed"] = seed,
                ["runtime"] = RuntimeInfo.ToJson(),
            });
            var checks = new Checks();
            double ops = 0;
            long ns = 0;
            using (IExperiment experiment = scenario.Open(variant.Subject, new Setting(parameters, seed, checks)))
            using (var runtime = new RuntimeMeter())
            {
                RepeatFor(warmupMs * NsPerMs, experiment);
                runtime.Begin();
                for (int i = 0; i < samples; i++)
                {
                    Sample sample = RepeatFor(sampleMs * NsPerMs, experiment);
                    runtime.Count(sample);
                    ops += sample.Ops;
                    ns += sample.Ns;
                    _writer.Line(sample.ToJson(i));
                }
            }

            _writer.Line(new Dictionary<string, object>
            {
                ["type"] = "end",
                ["samples"] = samples,
                ["ops"] = ProtocolWriter.Shortest(ops),
                ["ns"] = ns,
                ["validation"] = new Dictionary<string, object> { ["passed"] = true, ["checks"] = checks.Passed },
            });
            return 0;
        }

        private static Sample RepeatFor(long nanoseconds, IExperiment experiment)
        {
            var sample = new Sample();
            long begunNs = Clock.NowNs;
            while (sample.Ns < nanoseconds && (sample.Ns == 0 || Clock.NowNs - begunNs < MostWall * nanoseconds))
            {
                long before = sample.Ns;
                experiment.Repeat(sample);
                if (sample.Ns == before)
                {
                    throw new InvalidOperationException("a repetition recorded no time: the sample would never end");
                }
            }

            return sample;
        }

        /// <summary>
        /// Checks variants against the component's contract: a <c>check</c> line each, then an <c>end</c> line. Exit status
        /// 4 if a check failed.
        /// </summary>
        private int Contract(CommandLine line)
        {
            int limitMs = (int)line.Whole("--limit-ms", 20_000, 1);
            string? name = line.Value("--variant");
            string? plugin = line.Value("--plugin");
            List<Variant<TSubject>> variants =
                name != null ? new List<Variant<TSubject>> { _bench.Variant(name, plugin) }
                : plugin != null ? _bench.PluggedIn(plugin)
                : throw new UsageException("there is nothing to check: name a --variant or a --plugin");
            int checks = 0;
            int failed = 0;
            foreach (Variant<TSubject> variant in variants)
            {
                foreach (Check<TSubject> check in _bench.AllChecks.Where(check => check.AppliesTo(variant.Subject)))
                {
                    checks++;
                    failed += Passes(check, variant, limitMs) ? 0 : 1;
                }
            }

            _writer.Line(new Dictionary<string, object>
            {
                ["type"] = "end",
                ["checks"] = checks,
                ["failed"] = failed,
            });
            return failed == 0 ? 0 : (int)ErrorKind.Validation;
        }

        private bool Passes(Check<TSubject> check, Variant<TSubject> variant, int limitMs)
        {
            string? message = null;
            try
            {
                check.Run(variant.Subject, limitMs);
            }
            catch (ContractException evidence)
            {
                message = evidence.Message;
            }
            catch (Exception thrown)
            {
                message = $"{thrown.GetType().FullName}: {thrown.Message}";
            }

            _writer.Line(new Dictionary<string, object>
            {
                ["type"] = "check",
                ["variant"] = variant.Name,
                ["name"] = check.Name,
                ["passed"] = message == null,
                ["message"] = message ?? "",
            });
            return message == null;
        }
    }

    /// <summary>A command's options, each as <c>--name value</c> or <c>--name=value</c>, all with a value.</summary>
    internal sealed class CommandLine
    {
        private readonly List<(string Name, string Value)> _given = new List<(string, string)>();

        /// <exception cref="UsageException">An option is not one of the command's, or lacks its value.</exception>
        public CommandLine(IEnumerable<string> args, IReadOnlyCollection<string> known)
        {
            var rest = new Queue<string>(args);
            while (rest.Count > 0)
            {
                string[] parts = rest.Dequeue().Split('=', 2);
                if (!known.Contains(parts[0]))
                {
                    throw UsageException.Unknown("option", parts[0]);
                }

                if (parts.Length == 1 && rest.Count == 0)
                {
                    throw new UsageException($"option '{parts[0]}' has no value");
                }

                _given.Add((parts[0], parts.Length == 1 ? rest.Dequeue() : parts[1]));
            }
        }

        /// <summary>The option's value, the last one if it was given twice; null if it was not given.</summary>
        public string? Value(string option) => _given.LastOrDefault(given => given.Name == option).Value;

        public string Required(string option) =>
            Value(option) ?? throw new UsageException($"the option '{option}' is missing");

        public long Whole(string option, long otherwise, long least)
        {
            long value = otherwise;
            string? text = Value(option);
            return (text == null || long.TryParse(
                text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value)) && value >= least
                ? value
                : throw new UsageException($"{option} cannot be '{text}'");
        }

        /// <summary>What a repeatable option was given, as <c>name=value</c> each.</summary>
        public Dictionary<string, string> Pairs(string option)
        {
            var pairs = new Dictionary<string, string>();
            foreach ((string name, string value) in _given.Where(given => given.Name == option))
            {
                string[] parts = value.Split('=', 2);
                pairs[parts[0]] =
                    parts.Length == 2 ? parts[1] : throw new UsageException($"'{name} {value}' has no value");
            }

            return pairs;
        }
    }
}
