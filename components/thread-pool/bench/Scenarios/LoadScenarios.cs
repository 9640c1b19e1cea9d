using System.Linq;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>The loads of the report's table of expectations: burst, mixed; tasks that block; and real work.</summary>
    internal static class LoadScenarios
    {
        private const int MostTasks = 1_000_000;
        private const int MostUs = 100_000;

        /// <summary>Many tasks at once after a rest; the least that a pool can be asked to do for each.</summary>
        public static IScenario<PoolDesign> Burst() => new BatchScenario(
            ReportScenarios.Timed("burst", "Burst after a rest")
                .With(
                    ReportScenarios.Tasks(10_000),
                    Load.Work("ns"),
                    Load.Amount(1_000),
                    CommonParameters.Path("struct"),
                    CommonParameters.Stamps),
            ReportScenarios.OfEqualTasks);

        /// <summary>Short, medium and long tasks.</summary>
        public static IScenario<PoolDesign> Mixed() => new BatchScenario(
            new ScenarioSpec("mixed", "Short, medium and long tasks", "a task of a batch",
                    new Metric("time", "time", "ns/task", Better.Lower))
                .With(
                    new Metric("p50", "p50", "ns per short task", Better.Lower),
                    new Metric("p99", "p99", "ns per short task", Better.Lower),
                    new Metric("queued", "counter:queued_ns/op", "ns in a queue per task", Better.Lower))
                .With(
                    ReportScenarios.Tasks(1_000),
                    Parameter.OfInt("short-us", 1, 0, MostUs, "work of a short task, 90 % of all, in us"),
                    Parameter.OfInt("medium-us", 20, 0, MostUs, "work of a medium task, 9 % of all, in us"),
                    Parameter.OfInt("long-us", 500, 0, MostUs, "work of a long task, 1 % of all, in us"),
                    CommonParameters.Path("struct")),
            setting => new MixedTasks(
                setting.Parameters.Int("tasks"),
                new[] { "short-us", "medium-us", "long-us" }.Select(setting.Parameters.Int).ToArray(),
                setting.Random()));

        /// <summary>Tasks that sleep: more threads than processors help, and nothing else does.</summary>
        public static IScenario<PoolDesign> Blocking() => new BatchScenario(
            new ScenarioSpec("blocking", "Tasks that block", "a task of a batch",
                    new Metric("time", "time", "ns/task", Better.Lower))
                .With(new Metric("batch-p50", "p50", "ns per batch", Better.Lower))
                .With(
                    Parameter.OfInt("tasks", 64, 1, MostTasks, "tasks in a batch"),
                    Parameter.OfInt("block-ms", 5, 0, 10_000, "how long a task sleeps, in ms"),
                    CommonParameters.Path("task")),
            setting => new SleepingTasks(setting.Parameters.Int("tasks"), setting.Parameters.Int("block-ms")));

        /// <summary>One of the report's "next steps": image processing.</summary>
        public static IScenario<PoolDesign> ImageFilter() => new BatchScenario(
            new ScenarioSpec(
                    "image-filter", "Blur of an image", "a pixel", new Metric("rate", "rate", "pixels/s", Better.Higher))
                .With(
                    new Metric("p50", "p50", "ns for all", Better.Lower),
                    new Metric("p99", "p99", "ns for all", Better.Lower))
                .With(
                    Parameter.OfInt("width", 1_024, 1, 4_096, "pixels of a row"),
                    Parameter.OfInt("height", 768, 1, 16_384, "rows"),
                    Parameter.OfInt("band-rows", 8, 1, 16_384, "rows that a task filters"),
                    CommonParameters.Path("task")),
            setting => new ImageFilter(
                setting.Parameters.Int("width"),
                setting.Parameters.Int("height"),
                setting.Parameters.Int("band-rows"),
                setting.Random()));
    }
}
