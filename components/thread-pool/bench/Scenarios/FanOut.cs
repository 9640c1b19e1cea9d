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
        private const long NsPerUs = 1_000;

        private readonly Checks _checks;
        private readonly long _gapNs;
        private readonly int _width;
        private readonly Load _load;
        private readonly long[] _values;
        private readonly TaskLog _log;
        private readonly Countdown _countdown = new Countdown();
        private readonly IDisposable? _listener;
        private readonly IWorkPool _pool;
        private readonly Rest _rest;
        private readonly UsageMeter _usage = new UsageMeter();

        public FanOut(PoolDesign design, Setting setting, int width, int count, in Load load)
        {
            (_checks, _width, _load) = (setting.Checks, width, load);
            _gapNs = setting.Parameters.Int("gap-us") * NsPerUs;
            _log = new TaskLog(count, stamps: false);
            _values = new long[count];
            Array.Fill(_values, load.Execute());
            _listener = Knobs.Listener(setting.Parameters);
            _pool = design.CreatePool(Knobs.Settings(setting.Parameters));
            _rest = new Rest(_pool);
        }

        public void Repeat(Sample sample)
        {
            Clock.SpinUntil(Clock.NowNs + _gapNs);
            _countdown.Start(_log.Count);
            _usage.Begin();
            _rest.Begin();
            long startNs = Clock.NowNs;
            _pool.Run(new Node(this, 0));
            int missing = _countdown.Wait(Submission.Limit);
            long ns = Clock.NowNs - startNs;
            _rest.End();
            _usage.End(sample);
            _checks.Require("every task ends", missing == 0, () => $"{missing} of {_log.Count} did not");
            _rest.Count(sample);
            sample.Add(_log.Count, ns);
            sample.Latency(ns);
            _log.Validate(_values, _checks);
        }

        public void Dispose()
        {
            _pool.Dispose();
            _listener?.Dispose();
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
