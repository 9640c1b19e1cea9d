using System;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// A tree of tasks, numbered level by level: task <c>n</c> submits <c>n * width + 1</c> and the following ones,
    /// does its load, and counts.
    /// </summary>
    internal sealed class FanOut : IExperiment
    {
        private const int MostTasks = 4_000_000;

        private readonly Checks _checks;
        private readonly int _width;
        private readonly Load _load;
        private readonly long[] _values;
        private readonly TaskLog _log;
        private readonly Countdown _countdown = new Countdown();
        private readonly MeteredPool _metered;
        private readonly IWorkPool _pool;

        private FanOut(PoolDesign design, Setting setting)
        {
            Parameters parameters = setting.Parameters;
            (_checks, _width) = (setting.Checks, parameters.Int("width"));
            _load = Load.Of(parameters.String("work"), parameters.Int("amount"));
            int count = Count(_width, parameters.Int("depth"));
            _log = new TaskLog(count, stamps: false);
            _values = new long[count];
            Array.Fill(_values, _load.Execute());
            _metered = new MeteredPool(design, setting);
            _pool = _metered.Pool;
        }

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

        public void Repeat(Sample sample)
        {
            _countdown.Start(_log.Count);
            _metered.Begin();
            long startNs = Clock.NowNs;
            _pool.Run(new Node(this, 0));
            int missing = _countdown.Wait(Submission.Limit);
            long ns = Clock.NowNs - startNs;
            _metered.End(sample);
            _metered.RequireAllEnded(missing, _log.Count);
            sample.Add(_log.Count, ns);
            sample.Latency(ns);
            _log.Validate(_values, _checks);
        }

        public void Dispose() => _metered.Dispose();

        /// <summary>How many tasks a tree has.</summary>
        /// <exception cref="UsageException">They are too many.</exception>
        private static int Count(int width, int depth)
        {
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

        private void Visit(int node)
        {
            long firstChild = ((long)node * _width) + 1;
            for (long child = firstChild; child < firstChild + _width && child < _log.Count; child++)
            {
                _pool.Run(new Node(this, (int)child));
            }

            _log.Execute(node, _load);
            _countdown.Signal();
        }

        private readonly struct Node : IWork
        {
            private readonly FanOut _tree;
            private readonly int _number;

            public Node(FanOut tree, int number) => (_tree, _number) = (tree, number);

            public void Execute() => _tree.Visit(_number);
        }
    }
}
