using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Perflab.Bench
{
    /// <summary>Writes JSON Lines, each as soon as it is complete.</summary>
    internal sealed class ProtocolWriter
    {
        // The lines go to a program, not into a web page: quotes and signs stay readable.
        private static readonly JsonSerializerOptions s_options =
            new JsonSerializerOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

        private readonly TextWriter _out;

        public ProtocolWriter(TextWriter @out) => _out = @out;

        /// <summary>How the protocol writes a value of an enumeration.</summary>
        public static string Name(Enum value) => value.ToString().ToLowerInvariant();

        /// <summary>A whole number without a fraction or an exponent, anything else as it is.</summary>
        public static object Shortest(double value)
        {
            const double LargestExactInteger = 1L << 53;
            return value == Math.Round(value) && Math.Abs(value) <= LargestExactInteger ? (object)(long)value : value;
        }

        public void Line(IDictionary<string, object> json)
        {
            _out.WriteLine(JsonSerializer.Serialize(json, s_options));
            _out.Flush();
        }

        public void Error(ErrorKind kind, string message, IReadOnlyList<string> allowed)
        {
            var line = new Dictionary<string, object>
            {
                ["type"] = "error",
                ["kind"] = Name(kind),
                ["message"] = message,
            };
            if (allowed.Count > 0)
            {
                line["allowed"] = allowed;
            }

            Line(line);
        }
    }

    /// <summary>What the bench program runs on.</summary>
    internal static class RuntimeInfo
    {
        private static readonly string[] s_prefixes = { "DOTNET_", "COMPlus_" };

        // Where the runtime lies, and how it is found, says nothing about how it runs.
        private static readonly string[] s_irrelevant =
        {
            "DOTNET_ROOT", "DOTNET_NOLOGO", "DOTNET_CLI_TELEMETRY_OPTOUT", "DOTNET_GENERATE_ASPNET_CERTIFICATE",
            "DOTNET_CLI_HOME", "DOTNET_HOST_PATH",
        };

        public static Dictionary<string, object> ToJson() => new Dictionary<string, object>
        {
            ["name"] = ".NET",
            ["version"] = Environment.Version.ToString(),
            ["flags"] = Flags().OrderBy(flag => flag, StringComparer.Ordinal).ToArray(),
        };

        /// <summary>The collector's kind, and the settings that came through the environment.</summary>
        private static IEnumerable<string> Flags()
        {
            yield return GCSettings.IsServerGC ? "gc=server" : "gc=workstation";
            yield return "latency=" + GCSettings.LatencyMode;
            IDictionary environment = Environment.GetEnvironmentVariables();
            foreach (string name in environment.Keys.Cast<string>())
            {
                if (s_prefixes.Any(prefix => name.StartsWith(prefix, StringComparison.Ordinal))
                    && !s_irrelevant.Contains(name))
                {
                    yield return $"{name}={environment[name]}";
                }
            }
        }
    }
}
