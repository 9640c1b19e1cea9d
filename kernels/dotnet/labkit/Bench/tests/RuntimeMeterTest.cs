using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using Perflab.Testing;

namespace Perflab.Bench
{
    public sealed class RuntimeMeterTest
    {
        [Fact]
        public void AWaitForAMonitorIsCountedWithItsTime()
        {
            using var meter = new RuntimeMeter(isOn: true);
            meter.Begin();
            Contend();
            var sample = new Sample();
            var clock = Stopwatch.StartNew();
            // Events come late, the counters of the runtime at once.
            do
            {
                Thread.Sleep(10);
                meter.Count(sample);
            }
            while (Counters(sample)["runtime_contention_ns"] == 0 && clock.Elapsed < TimeSpan.FromSeconds(30));
            Assert.InRange(Counters(sample)["runtime_contentions"], 1, long.MaxValue);
            Assert.InRange(Counters(sample)["runtime_contention_ns"], 1_000_000, long.MaxValue);
        }

        [Fact]
        public void ACollectionAndAnItemOfThePoolAreCountedOnce()
        {
            using var meter = new RuntimeMeter(isOn: true);
            meter.Begin();
            GC.Collect(2, GCCollectionMode.Forced, blocking: true);
            var sample = new Sample();
            meter.Count(sample);
            long collections = Counters(sample)["runtime_gen2"];
            meter.Count(sample);
            Assert.InRange(collections, 1, long.MaxValue);
            Assert.Equal(collections, Counters(sample)["runtime_gen2"]);
        }

        [Fact]
        public void NothingIsCountedUnlessTheLabAsksForIt()
        {
            using var meter = new RuntimeMeter(isOn: false);
            var sample = new Sample();
            meter.Begin();
            meter.Count(sample);
            sample.Add(1, 1);
            Assert.False(sample.ToJson(0).ContainsKey("counters"));
        }

        /// <summary>One thread waits for a monitor that another one holds for some milliseconds.</summary>
        private static void Contend()
        {
            var monitor = new object();
            var waiter = new Thread(() =>
            {
                lock (monitor)
                {
                }
            });
            lock (monitor)
            {
                waiter.Start();
                while (waiter.ThreadState != System.Threading.ThreadState.WaitSleepJoin)
                {
                    Thread.Sleep(1);
                }

                Thread.Sleep(5);
            }

            waiter.Join();
        }

        private static IReadOnlyDictionary<string, long> Counters(Sample sample)
        {
            Dictionary<string, object> json = sample.ToJson(0);
            return (IReadOnlyDictionary<string, long>)json["counters"];
        }
    }
}
