using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>Picks the command and turns every way to fail into one error line and its exit status.</summary>
    internal sealed class Commands<TSubject>
    {
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

            if (args.Length == 0)
            {
                throw new UsageException("no command was given", s_options.Keys);
            }

            if (!s_options.TryGetValue(args[0], out string[]? known))
            {
                throw Names.Unknown("command", args[0], s_options.Keys);
            }

            var line = new CommandLine(args.Skip(1), known);
            return args[0] switch
            {
                "describe" => Describe(line),
                "run" => new RunCommand<TSubject>(_bench, _writer).Run(line),
                _ => new ContractCommand<TSubject>(_bench, _writer).Run(line),
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
    }
}
