using System;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// Tasks of one load, numbered from zero, that are submitted and forgotten; a repetition ends when all have counted
    /// down. How they are submitted is the scenario's.
    /// </summary>
    internal abstract class CountedTasks : IExperiment
    {
        private readonly Checks _checks;
        private readonly Load _load;
        private readonly long[] _values;
        private readonly Countdown _countdown = new Countdown();
        private readonly MeteredPool _metered;

        protected CountedTasks(PoolDesign design, Setting setting, int count, bool stamps)
        {
            _checks = setting.Checks;
            _load = Load.Of(setting.Parameters.String("work"), setting.Parameters.Int("amount"));
            _values = new long[count];
            Array.Fill(_values, _load.Execute());
            Log = new TaskLog(count, stamps);
            _metered = new MeteredPool(design, setting);
        }

        protected TaskLog Log { get; }

        public void Repeat(Sample sample)
        {
            _countdown.Start(Log.Count);
            _metered.Begin();
            long startNs = Clock.NowNs;
            Submit(startNs);
            int missing = _countdown.Wait(Submission.Limit);
            long ns = Clock.NowNs - startNs;
            _metered.End(sample);
            _metered.RequireAllEnded(missing, Log.Count);
            sample.Add(Log.Count, ns);
            Record(startNs, ns, sample);
            Log.Validate(_values, _checks);
        }

        public void Dispose() => _metered.Dispose();

        /// <summary>Submits what the calling thread has to submit.</summary>
        protected abstract void Submit(long startNs);

        /// <summary>Notes what the scenario tells beside the time, when all have ended.</summary>
        protected abstract void Record(long startNs, long ns, Sample sample);

        /// <summary>What a task does before its load.</summary>
        protected virtual void Begin(int number)
        {
        }

        protected void Run(int number) => _metered.Pool.Run(new Numbered(this, number));

        private readonly struct Numbered : IWork
        {
            private readonly CountedTasks _tasks;
            private readonly int _number;

            public Numbered(CountedTasks tasks, int number) => (_tasks, _number) = (tasks, number);

            public void Execute()
            {
                _tasks.Begin(_number);
                _tasks.Log.Execute(_number, _tasks._load);
                _tasks._countdown.Signal();
            }
        }
    }
}
