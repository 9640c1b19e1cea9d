using System.Threading;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>Cost at rest: what a pool that has nothing to do takes of the processor.</summary>
    internal sealed class Idle : IExperiment
    {
        private const int WindowMs = 250;
        private const double NsPerSecond = 1e9;

        private readonly Checks _checks;
        private readonly MeteredPool _metered;
        private readonly UsageMeter _usage = new UsageMeter();

        private Idle(PoolDesign design, Setting setting)
        {
            _checks = setting.Checks;
            _metered = new MeteredPool(design, setting);
            RunOne();
        }

        public static IScenario<PoolDesign> Scenario() => new Scenario<PoolDesign>(
            new ScenarioSpec(
                    "idle",
                    "An idle pool",
                    "a second of having nothing to do",
                    new Metric("cores", "counter:threads_cpu_ns/ns", "cores", Better.Lower))
                .With(
                    new Metric("wake-ups", "counter:voluntary_switches/op", "sleeps/s", Better.Lower),
                    new Metric("allocated", "counter:allocated_bytes/op", "bytes/s", Better.Lower))
                .With(CommonParameters.OfPool),
            (design, setting) => new Idle(design, setting));

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
            _metered.Dispose();
        }

        private void RunOne() =>
            _checks.Require(
                "the pool executes a task before and after its rest",
                _metered.Pool.RunAsync(() => { }).Wait(Submission.Limit),
                () => "it did not");
    }
}
