using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// A tree of tasks, numbered level by level: task <c>n</c> submits <c>n * width + 1</c> and the following ones,
    /// does its load, and counts.
    /// </summary>
    internal sealed class FanOut : CountedTasks
    {
        private const int MostTasks = 4_000_000;

        private readonly int _width;

        private FanOut(PoolDesign design, Setting setting)
            : base(design, setting, Count(setting.Parameters), stamps: false) =>
            _width = setting.Parameters.Int("width");

        /// <summary>Tasks that submit tasks, as a recursive algorithm does: what stealing is for.</summary>
        public static IScenario<PoolDesign> Scenario() => new Scenario<PoolDesign>(
            new ScenarioSpec(
                    "fan-out",
                    "Tasks that submit tasks",
                    "a task of the tree",
                    new Metric("time", "time", "ns/task", Better.Lower))
                .With(
                    new Metric("tree-p50", "p50", "ns per tree", Better.Lower),
                    new Metric("allocated", "counter:allocated_bytes/op", "bytes/task", Better.Lower),
                    new Metric("cpu", "counter:cpu_ns/op", "ns of CPU/task", Better.Lower),
                    new Metric("switches", "counter:voluntary_switches/op", "sleeps/task", Better.Lower),
                    new Metric("asleep", "counter:asleep_ns/ns", "threads asleep", Better.Lower))
                .With(
                    Parameter.OfInt("width", 2, 1, 1_000, "tasks that a task submits"),
                    Parameter.OfInt("depth", 12, 0, 100_000, "levels below the first task"),
                    Load.Work("ns"),
                    Load.Amount(500),
                    CommonParameters.Gap)
                .With(CommonParameters.OfPool),
            (design, setting) => new FanOut(design, setting));

        protected override void Submit(long startNs) => Run(0);

        protected override void Record(long startNs, long ns, Sample sample) => sample.Latency(ns);

        protected override void Begin(int number)
        {
            long firstChild = ((long)number * _width) + 1;
            for (long child = firstChild; child < firstChild + _width && child < Log.Count; child++)
            {
                Run((int)child);
            }
        }

        /// <summary>How many tasks a tree has.</summary>
        /// <exception cref="UsageException">They are too many.</exception>
        private static int Count(Parameters parameters)
        {
            int width = parameters.Int("width");
            int depth = parameters.Int("depth");
            long count = 1;
            long level = 1;
            for (int i = 0; i < depth && count <= MostTasks; i++)
            {
                level *= width;
                count += level;
            }

            return count <= MostTasks
                ? (int)count
                : throw new UsageException(
                    $"a tree of width {width} and depth {depth} is too large", $"at most {MostTasks} tasks in all");
        }
    }
}
