using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>
    /// Checks variants against the component's contract: a <c>check</c> line each, then an <c>end</c> line. Exit status
    /// 4 if a check failed.
    /// </summary>
    internal sealed class ContractCommand<TSubject>
    {
        private const int DefaultLimitMs = 20_000;

        private readonly Bench<TSubject> _bench;
        private readonly ProtocolWriter _writer;

        public ContractCommand(Bench<TSubject> bench, ProtocolWriter writer) => (_bench, _writer) = (bench, writer);

        public int Run(CommandLine line)
        {
            int limitMs = Limit(line.Value("--limit-ms"));
            List<Variant<TSubject>> variants = Variants(line.Value("--variant"), line.Value("--plugin"));
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

        private static int Limit(string? text) =>
            text == null ? DefaultLimitMs
            : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int ms) && ms > 0 ? ms
            : throw new UsageException($"--limit-ms cannot be '{text}'", "a whole number of at least 1");

        private List<Variant<TSubject>> Variants(string? name, string? plugin) =>
            name != null ? new List<Variant<TSubject>> { _bench.Variant(name, plugin) }
            : plugin != null ? _bench.PluggedIn(plugin)
            : throw new UsageException("there is nothing to check", "--plugin PATH", "--variant NAME");

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
}
