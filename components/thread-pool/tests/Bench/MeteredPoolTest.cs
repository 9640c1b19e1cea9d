using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Bench;
using Perflab.Testing;
using Perflab.ThreadPools.Peers;

namespace Perflab.ThreadPools.Measured
{
    public sealed class MeteredPoolTest
    {
        /// <summary>Staying awake between two batches is no free answer to the next one.</summary>
        [Theory]
        [InlineData("burst")]
        [InlineData("fan-out")]
        public void WhatAPoolsThreadsTakeInTheGapIsCharged(string scenario)
        {
            var printed = new StringWriter();
            new Bench<PoolDesign>("restless")
                .Scenarios(AllScenarios.List())
                .Variants(new[]
                {
                    new Variant<PoolDesign>(
                        "restless", Role.Peer, "", "", PoolDesign.OfPool(settings => new RestlessPool())),
                })
                .Run(
                    new[]
                    {
                        "run", "--scenario", scenario, "--variant", "restless", "--warmup-ms", "0", "--sample-ms", "1",
                        "--samples", "1", "--param=gap-us=50000",
                    },
                    printed);
            string sample = printed.ToString()
                .Split('\n')
                .Single(line => line.Contains("\"type\":\"sample\"", StringComparison.Ordinal));
            JsonElement counters = JsonDocument.Parse(sample).RootElement.GetProperty("counters");
            long inTheGap = counters.GetProperty("gap_cpu_ns").GetInt64();
            Assert.True(inTheGap > 0, "nothing was charged");
            Assert.True(counters.GetProperty("cpu_ns").GetInt64() > inTheGap, "it is not part of the whole");
        }

        /// <summary>A good pool with a thread that never rests.</summary>
        private sealed class RestlessPool : IWorkPool
        {
            private readonly DedicatedPool _pool = new DedicatedPool(2);
            private volatile bool _disposed;

            public RestlessPool() => new Thread(Spin) { IsBackground = true }.Start();

            public event Action<Exception>? WorkFailed
            {
                add => _pool.WorkFailed += value;
                remove => _pool.WorkFailed -= value;
            }

            public int ThreadCount => _pool.ThreadCount;

            public void Run<TWork>(in TWork work, WorkPriority priority = WorkPriority.Normal)
                where TWork : struct, IWork => _pool.Run(work, priority);

            public Task RunAsync(Action action, WorkPriority priority = WorkPriority.Normal) =>
                _pool.RunAsync(action, priority);

            public Task<TResult> RunAsync<TResult>(Func<TResult> function, WorkPriority priority = WorkPriority.Normal) =>
                _pool.RunAsync(function, priority);

            public bool Shutdown(ShutdownMode mode, TimeSpan timeout)
            {
                _disposed = true;
                return _pool.Shutdown(mode, timeout);
            }

            public void Dispose() => Shutdown(ShutdownMode.Drain, PoolDefaults.DisposeTimeout);

            private void Spin()
            {
                while (!_disposed)
                {
                    Thread.SpinWait(1);
                }
            }
        }
    }
}
