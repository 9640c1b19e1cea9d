using System.Linq;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// The rows of the report's tables. The defaults are its loads from before the fix, those of the measured rows.
    /// </summary>
    internal static class ReportScenarios
    {
        private const int MostTasks = 1_000_000;

        /// <summary>Many small tasks, all awaited.</summary>
        public static IScenario<PoolDesign> CpuBound() => new BatchScenario(
            Timed("cpu-bound", "Small tasks, all awaited")
                .With(Tasks(1_000), Load.Work("spin"), Load.Amount(100), CommonParameters.Path("task"), CommonParameters.Stamps),
            OfEqualTasks);

        /// <summary>The same with a result of each.</summary>
        public static IScenario<PoolDesign> WithResult() => new BatchScenario(
            Timed("with-result", "Small tasks, all awaited, each with a result")
                .With(Tasks(1_000), Load.Work("spin"), Load.Amount(10), CommonParameters.Stamps),
            OfEqualTasks,
            path: "result");

        /// <summary>What of a batch the high priorities gain.</summary>
        public static IScenario<PoolDesign> Priority() => new BatchScenario(
            new ScenarioSpec(
                    "priority",
                    "High priority behind low",
                    "all tasks of high priority, from the first submission of any until the last of them has ended",
                    new Metric("time", "counter:urgent_ns/op", "ns", Better.Lower))
                .With(
                    new Metric("p50", "p50", "ns per high task", Better.Lower),
                    new Metric("p99", "p99", "ns per high task", Better.Lower),
                    new Metric("all", "time", "ns until all tasks have ended", Better.Lower))
                .With(
                    Parameter.OfInt("low", 100, 0, MostTasks, "tasks of low priority"),
                    Parameter.OfInt("high", 100, 1, MostTasks, "tasks of high priority"),
                    Parameter.OfChoice("order", "low-first", new[] { "low-first", "alternating" },
                        "whether the high ones are submitted after all low ones, or in turn with them"),
                    Load.Work("spin"),
                    Load.Amount(100, "low-amount"),
                    Load.Amount(10, "high-amount"),
                    CommonParameters.Path("task")),
            setting => new UrgentTasks(
                Order(setting.Parameters),
                Load.Of(setting.Parameters.String("work"), setting.Parameters.Int("low-amount")),
                Load.Of(setting.Parameters.String("work"), setting.Parameters.Int("high-amount"))));

        /// <summary>What submitting costs the caller: all that the report's UniTask rows measured.</summary>
        public static IScenario<PoolDesign> Enqueue() => new BatchScenario(
            Timed("enqueue", "Submitting, not executing")
                .With(Tasks(1_000), Load.Work("spin"), Load.Amount(10), CommonParameters.Path("task")),
            OfEqualTasks,
            stopsAtSubmission: true);

        internal static Parameter Tasks(int count) =>
            Parameter.OfInt("tasks", count, 1, MostTasks, "tasks in a batch");

        internal static ScenarioSpec Timed(string name, string title) =>
            new ScenarioSpec(name, title, "a task of a batch", new Metric("time", "time", "ns/task", Better.Lower))
            .With(
                new Metric("batch-p50", "p50", "ns per batch", Better.Lower),
                new Metric("batch-p99", "p99", "ns per batch", Better.Lower),
                new Metric("rate", "rate", "tasks/s", Better.Higher),
                new Metric("queued", "counter:queued_ns/op", "ns in a queue per task", Better.Lower),
                new Metric("working", "counter:working_ns/op", "ns of work per task", Better.Lower),
                new Metric("first-start", "counter:first_start_ns/ns", "share of the time", Better.Lower));

        internal static IBatch OfEqualTasks(Setting setting)
        {
            Parameters parameters = setting.Parameters;
            bool stamps = parameters.Has("stamps") && parameters.Bool("stamps");
            return new EqualTasks(
                parameters.Int("tasks"), Load.Of(parameters.String("work"), parameters.Int("amount")), stamps);
        }

        private static WorkPriority[] Order(Parameters parameters)
        {
            var low = Enumerable.Repeat(WorkPriority.Low, parameters.Int("low")).ToList();
            var high = Enumerable.Repeat(WorkPriority.High, parameters.Int("high")).ToList();
            if (parameters.String("order") == "low-first")
            {
                return low.Concat(high).ToArray();
            }

            int pairs = System.Math.Min(low.Count, high.Count);
            return Enumerable.Range(0, 2 * pairs)
                .Select(i => i % 2 == 0 ? WorkPriority.Low : WorkPriority.High)
                .Concat(low.Skip(pairs))
                .Concat(high.Skip(pairs))
                .ToArray();
        }
    }
}
