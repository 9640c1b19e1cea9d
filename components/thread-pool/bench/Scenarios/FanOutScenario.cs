using System;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>Tasks that submit tasks, as a recursive algorithm does: what stealing is for.</summary>
    internal sealed class FanOutScenario : IScenario<PoolDesign>
    {
        private const int MostTasks = 4_000_000;

        public ScenarioSpec Spec { get; } = new ScenarioSpec(
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
                Knobs.Gap)
            .With(Knobs.OfPool);

        public IExperiment Open(PoolDesign design, Setting setting)
        {
            Parameters parameters = setting.Parameters;
            int width = parameters.Int("width");
            int depth = parameters.Int("depth");
            long count = 1;
            long level = 1;
            for (int i = 0; i < depth && count <= MostTasks; i++)
            {
                level *= width;
                count += level;
            }

            if (count > MostTasks)
            {
                throw new UsageException(
                    $"a tree of width {width} and depth {depth} is too large", $"at most {MostTasks} tasks in all");
            }

            var load = Load.Of(parameters.String("work"), parameters.Int("amount"));
            return new FanOut(design, setting, width, (int)count, load);
        }
    }
}
