using System;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>The parameters that all scenarios share, and what they mean.</summary>
    internal static class CommonParameters
    {
        private const int MostThreads = 1_024;
        private const int OwnSpin = -1;

        /// <summary>What every scenario asks of the pool.</summary>
        public static Parameter[] OfPool { get; } =
        {
            Parameter.OfInt("threads", 0, 0, MostThreads, "threads to begin with; 0 for the variant's own"),
            Parameter.OfChoice("scaling", "auto", new[] { "auto", "on", "off" },
                "whether the number of threads follows the load; auto for what the variant does by itself"),
            Parameter.OfInt("scaling-interval-ms", 0, 0, 60_000,
                "how often a pool that scales looks at the load, in ms; 0 for the variant's own"),
            Parameter.OfFloat("idle-sleep-ms", 1, 0, 1_000,
                "how long idle workers of a pool that polls sleep, in ms; a fraction is the period of a timer that wakes all "
                + "of them: 15.6 as on Windows"),
            Parameter.OfInt("spin-us", OwnSpin, OwnSpin, 1_000_000,
                "how long an idle worker of a pool that spins looks for work before it sleeps, at most, in us; -1 for the "
                + "variant's own"),
            Parameter.OfChoice("observability", "on", new[] { "off", "on", "listened" },
                "the hooks around each task: left out, there with nobody listening, or with a listener"),
        };

        /// <summary>The pause before an operation.</summary>
        public static Parameter Gap { get; } = Parameter.OfInt("gap-us", 300, 0, 1_000_000,
            "how long the submitting thread spins before each operation, in us");

        public static Parameter Path(string defaultPath) =>
            Parameter.OfChoice(
                "path", defaultPath, new[] { "task", "struct" },
                "a Task for each task, all awaited, or structs that are submitted and forgotten and a counter");

        public static Parameter Stamps { get; } = Parameter.OfBool("stamps", false,
            "note when each task was submitted, begun and ended: counters queued_ns, working_ns and first_start_ns");

        public static PoolSettings Settings(Parameters parameters) => new PoolSettings
        {
            Threads = parameters.Int("threads") == 0 ? (int?)null : parameters.Int("threads"),
            Scaling = parameters.String("scaling") == "auto" ? (bool?)null : parameters.String("scaling") == "on",
            ScalingInterval = parameters.Int("scaling-interval-ms") == 0
                ? (TimeSpan?)null
                : TimeSpan.FromMilliseconds(parameters.Int("scaling-interval-ms")),
            IdleSleepMs = parameters.Double("idle-sleep-ms"),
            SpinLimit = parameters.Int("spin-us") == OwnSpin
                ? (TimeSpan?)null
                : TimeSpan.FromMilliseconds(parameters.Int("spin-us") / 1_000.0),
            Observability = parameters.String("observability") == "off" ? Observability.Off : Observability.On,
        };

        /// <summary>Somebody who listens for the length of an experiment, if the parameters ask for one.</summary>
        public static IDisposable? Listener(Parameters parameters) =>
            parameters.String("observability") == "listened" ? new TaskListener() : null;
    }
}
