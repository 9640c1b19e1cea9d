using System;
using System.Threading;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>Cost at rest: what a pool that has nothing to do takes of the processor.</summary>
    internal sealed class IdleScenario : IScenario<PoolDesign>
    {
        public ScenarioSpec Spec { get; } = new ScenarioSpec(
                "idle",
                "An idle pool",
                "a second of having nothing to do",
                new Metric("cores", "counter:threads_cpu_ns/ns", "cores", Better.Lower))
            .With(
                new Metric("wake-ups", "counter:voluntary_switches/op", "sleeps/s", Better.Lower),
                new Metric("allocated", "counter:allocated_bytes/op", "bytes/s", Better.Lower))
            .With(Knobs.OfPool);

        public IExperiment Open(PoolDesign design, Setting setting) => new Experiment(design, setting);

        private sealed class Experiment : IExperiment
        {
            private const int WindowMs = 250;
            private const double NsPerSecond = 1e9;

            private readonly Checks _checks;
            private readonly IDisposable? _listener;
            private readonly IWorkPool _pool;
            private readonly UsageMeter _usage = new UsageMeter();

            public Experiment(PoolDesign design, Setting setting)
            {
                _checks = setting.Checks;
                _listener = Knobs.Listener(setting.Parameters);
                _pool = design.CreatePool(Knobs.Settings(setting.Parameters));
                RunOne();
            }

            public void Repeat(Sample sample)
            {
                long cpuNs = ThreadCpu.OfOthersNs;
                _usage.Begin();
                long startNs = Clock.NowNs;
                Thread.Sleep(WindowMs);
                long ns = Clock.NowNs - startNs;
                _usage.End(sample);
                sample.Count("threads_cpu_ns", ThreadCpu.OfOthersNs - cpuNs);
                sample.Add(ns / NsPerSecond, ns);
            }

            public void Dispose()
            {
                RunOne();
                _pool.Dispose();
                _listener?.Dispose();
            }

            private void RunOne() =>
                _checks.Require(
                    "the pool executes a task before and after its rest",
                    _pool.RunAsync(() => { }).Wait(Submission.Limit),
                    () => "it did not");
        }
    }
}
