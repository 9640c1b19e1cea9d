using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;

namespace Perflab.ThreadPools.Lab
{
    /// <remarks>
    /// What <c>dotnet-counters monitor --counters Perflab-LabPool</c> shows, of all pools of the process together. A
    /// pool counts anyway; somebody who asks reads, and nobody else pays.
    /// </remarks>
    public sealed partial class PoolEvents
    {
        private readonly List<LabPool> _pools = new List<LabPool>();
        private long _executedByClosed;
        private DiagnosticCounter[]? _counters;

        [NonEvent]
        internal void Opened(LabPool pool)
        {
            lock (_pools)
            {
                _pools.Add(pool);
            }
        }

        [NonEvent]
        internal void Closed(LabPool pool)
        {
            lock (_pools)
            {
                if (_pools.Remove(pool))
                {
                    _executedByClosed += pool.ExecutedCount; // or the rate of all would fall below zero
                }
            }
        }

        /// <summary>Makes the counters when somebody asks for the first time; from then on the runtime reads them at
        /// the listener's interval.</summary>
        protected override void OnEventCommand(EventCommandEventArgs command)
        {
            if (command.Command != EventCommand.Enable || _counters != null)
            {
                return;
            }

            _counters = new DiagnosticCounter[]
            {
                new PollingCounter("threads", this, () => SumOverPools(pool => pool.ThreadCount))
                {
                    DisplayName = "Threads",
                },
                new PollingCounter("queued", this, () => SumOverPools(pool => pool.QueuedCount))
                {
                    DisplayName = "Tasks that wait",
                },
                new IncrementingPollingCounter("executed", this, () => Executed())
                {
                    DisplayName = "Tasks begun",
                    DisplayRateTimeScale = TimeSpan.FromSeconds(1),
                },
            };
        }

        private double Executed()
        {
            lock (_pools)
            {
                return _executedByClosed + SumOverPools(pool => pool.ExecutedCount);
            }
        }

        private double SumOverPools(Func<LabPool, long> what)
        {
            lock (_pools)
            {
                long sum = 0;
                _pools.ForEach(pool => sum += what(pool));
                return sum;
            }
        }
    }
}
