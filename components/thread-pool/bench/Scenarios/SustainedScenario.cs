using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// Latency at a given rate: tasks are due on a schedule, and their latency counts from when they were due, whenever
    /// they were submitted.
    /// </summary>
    /// <remarks>
    /// A sender that waits for the pool, or skips what it was late for, leaves out just those tasks that had to wait:
    /// Gil Tene's <i>coordinated omission</i> ("How NOT to Measure Latency"). Counting from the intended time is his
    /// remedy, as in wrk2.
    /// </remarks>
    internal sealed class SustainedScenario : IScenario<PoolDesign>
    {
        private const int MostTasks = 1_000_000;

        public ScenarioSpec Spec { get; } = new ScenarioSpec(
                "sustained",
                "Tasks at a given rate",
                "a task, from when it was due to its end",
                new Metric("p99", "p99", "ns", Better.Lower))
            .With(
                new Metric("p50", "p50", "ns", Better.Lower),
                new Metric("p99.9", "p99.9", "ns", Better.Lower),
                new Metric("max", "max", "ns", Better.Lower),
                new Metric("achieved", "rate", "tasks/s", Better.Higher),
                new Metric("late", "counter:late/op", "late submissions/task", Better.Lower),
                new Metric("allocated", "counter:allocated_bytes/op", "bytes/task", Better.Lower),
                new Metric("cpu", "counter:cpu_ns/op", "ns of CPU/task", Better.Lower),
                new Metric("asleep", "counter:asleep_ns/ns", "threads asleep", Better.Lower))
            .With(
                Parameter.OfInt("rate", 10_000, 100, 10_000_000, "tasks due per second"),
                Parameter.OfInt("window-ms", 100, 10, 10_000, "how long a repetition submits, in ms"),
                Parameter.OfInt(
                    "late-us", 50, 0, 1_000_000, "a submission further behind schedule than this is late, in us"),
                Load.Work("ns"),
                Load.Amount(5_000))
            .With(Knobs.OfPool);

        public IExperiment Open(PoolDesign design, Setting setting)
        {
            long rate = setting.Parameters.Long("rate");
            long tasks = rate * setting.Parameters.Long("window-ms") / 1_000;
            if (tasks > MostTasks)
            {
                throw new UsageException(
                    $"parameter 'window-ms' cannot be {setting.Parameters.Long("window-ms")} when 'rate' is {rate}",
                    $"a whole number from 10 to {MostTasks * 1_000L / rate}");
            }

            return new Sustained(design, setting, new Schedule(rate), (int)tasks);
        }
    }
}
