using System;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// The open loop: the calling thread submits on schedule, whatever becomes of the tasks, and never skips what it is
    /// late for. It spins until a task is due, which takes one processor.
    /// </summary>
    internal sealed class Sustained : IExperiment
    {
        private const long NsPerUs = 1_000;

        private readonly Checks _checks;
        private readonly Schedule _schedule;
        private readonly long _lateNs;
        private readonly Load _load;
        private readonly long[] _values;
        private readonly TaskLog _log;
        private readonly Countdown _countdown = new Countdown();
        private readonly IDisposable? _listener;
        private readonly IWorkPool _pool;
        private readonly Rest _rest;
        private readonly UsageMeter _usage = new UsageMeter();

        public Sustained(PoolDesign design, Setting setting, Schedule schedule, int tasks)
        {
            Parameters parameters = setting.Parameters;
            (_checks, _schedule) = (setting.Checks, schedule);
            _lateNs = parameters.Int("late-us") * NsPerUs;
            _load = Load.Of(parameters.String("work"), parameters.Int("amount"));
            _values = new long[tasks];
            Array.Fill(_values, _load.Execute());
            _log = new TaskLog(tasks, stamps: true);
            _listener = Knobs.Listener(parameters);
            _pool = design.CreatePool(Knobs.Settings(parameters));
            _rest = new Rest(_pool);
        }

        public void Repeat(Sample sample)
        {
            _countdown.Start(_log.Count);
            _usage.Begin();
            _rest.Begin();
            long startNs = Clock.NowNs;
            int late = SubmitAll(startNs);
            int missing = _countdown.Wait(Submission.Limit);
            long ns = Clock.NowNs - startNs;
            _rest.End();
            _usage.End(sample);

            _checks.Require("every task ends", missing == 0, () => $"{missing} of {_log.Count} did not");
            _rest.Count(sample);
            sample.Add(_log.Count, ns);
            sample.Count("late", late);
            for (int i = 0; i < _log.Count; i++)
            {
                sample.Latency(_log.EndedNs(i) - startNs - _schedule.DueNs(i));
            }

            _log.Validate(_values, _checks);
        }

        public void Dispose()
        {
            _pool.Dispose();
            _listener?.Dispose();
        }

        private int SubmitAll(long startNs)
        {
            int late = 0;
            for (int i = 0; i < _log.Count; i++)
            {
                long dueNs = startNs + _schedule.DueNs(i);
                late += Clock.SpinUntil(dueNs) - dueNs > _lateNs ? 1 : 0;
                _pool.Run(new Due(this, i));
            }

            return late;
        }

        private readonly struct Due : IWork
        {
            private readonly Sustained _experiment;
            private readonly int _number;

            public Due(Sustained experiment, int number) => (_experiment, _number) = (experiment, number);

            public void Execute()
            {
                _experiment._log.Execute(_number, _experiment._load);
                _experiment._countdown.Signal();
            }
        }
    }
}
