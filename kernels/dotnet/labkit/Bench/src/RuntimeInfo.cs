using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Runtime;

namespace Perflab.Bench
{
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
