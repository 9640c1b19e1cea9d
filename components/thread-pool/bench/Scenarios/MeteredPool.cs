using System;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// An experiment's pool, and what it and the process take while the clock runs: the counters of
    /// <see cref="UsageMeter"/>, and <c>asleep_ns</c>, how long the pool's threads sleep, if the pool knows.
    /// </summary>
    /// <remarks>
    /// Threads that stay awake through the gap answer the next batch sooner. That is charged: <c>cpu_ns</c> has what
    /// they take there, too, and <c>gap_cpu_ns</c> is that part. What the submitting thread spins is not in it.
    /// </remarks>
    internal sealed class MeteredPool : IDisposable
    {
        private const long NsPerUs = 1_000;

        private readonly Checks _checks;
        private readonly long _gapNs;
        private readonly IDisposable? _listener;
        private readonly IWorkPool? _pool;
        private readonly IRestClock? _restClock;
        private readonly UsageMeter _usage = new UsageMeter();
        private long _asleepNs;
        private long _gapCpuNs;

        public MeteredPool(PoolDesign design, Setting setting)
        {
            Parameters parameters = setting.Parameters;
            _checks = setting.Checks;
            _gapNs = parameters.Has("gap-us") ? parameters.Int("gap-us") * NsPerUs : 0;
            _listener = CommonParameters.Listener(parameters);
            _pool = design.IsLoop ? null : design.CreatePool(CommonParameters.Settings(parameters));
            _restClock = _pool as IRestClock;
        }

        public IWorkPool Pool => _pool ?? throw new InvalidOperationException("this variant is a loop, not a pool");

        /// <summary>The pool; null for a loop.</summary>
        public IWorkPool? PoolIfAny => _pool;

        /// <summary>Spins through the gap, if the scenario has one; then what the calling thread takes counts, too.
        /// </summary>
        public void Begin()
        {
            long othersNs = UsageMeter.OtherThreadsCpuNs;
            Clock.SpinUntil(Clock.NowNs + _gapNs);
            _gapCpuNs = UsageMeter.OtherThreadsCpuNs - othersNs;
            _usage.Begin();
            _asleepNs = _restClock?.AsleepNs ?? 0;
        }

        /// <summary>Counts what was taken since <see cref="Begin"/>.</summary>
        public void End(Sample sample)
        {
            long asleepNs = _restClock?.AsleepNs ?? 0;
            _usage.End(sample);
            sample.Count("cpu_ns", _gapCpuNs);
            sample.Count("gap_cpu_ns", _gapCpuNs);
            if (_restClock != null)
            {
                sample.Count("asleep_ns", asleepNs - _asleepNs);
            }
        }

        /// <summary>Demands that none of so many tasks is missing.</summary>
        public void RequireAllEnded(int missing, int count) =>
            _checks.Require("every task ends", missing == 0, () => $"{missing} of {count} did not");

        public void Dispose()
        {
            _pool?.Dispose();
            _listener?.Dispose();
        }
    }
}
