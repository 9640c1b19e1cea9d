using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    public sealed class PoolCountersTest
    {
        private const int Tasks = 1000;

        [Fact]
        public void WhoListensSeesThreadsAndTasksOfAllPools()
        {
            using var listener = new CounterListener();
            Assert.True(PoolEvents.Log.IsEnabled(), "the source is not listened to"); // the first pool would make it
            double before = listener.Next("threads"); // of pools that other tests have left
            using var first = new LabPool(new LabPoolOptions { MinThreads = 2, MaxThreads = 2 });
            using var second = new LabPool(new LabPoolOptions { MinThreads = 3, MaxThreads = 3 });
            listener.Await("threads", before + 5);
            RunAll(first);
            RunAll(second);
            for (double seen = 0; seen < 2 * Tasks;)
            {
                seen += listener.Next("executed");
            }

            second.Dispose();
            listener.Await("threads", before + 2);
            Assert.True(listener.Next("executed") >= 0, "a pool that is closed takes its count along");
        }

        private static void RunAll(LabPool pool)
        {
            using var all = new CountdownEvent(Tasks);
            for (int i = 0; i < Tasks; i++)
            {
                pool.Run(new Signal(all));
            }

            all.Wait();
        }

        private readonly struct Signal : IWork
        {
            private readonly CountdownEvent _all;

            internal Signal(CountdownEvent all) => _all = all;

            public void Execute() => _all.Signal();
        }

        /// <summary>Asks for the counters ten times a second, and keeps what it is told.</summary>
        private sealed class CounterListener : EventListener
        {
            private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

            private readonly ConcurrentDictionary<string, BlockingCollection<double>> _values =
                new ConcurrentDictionary<string, BlockingCollection<double>>();

            /// <summary>The value of a counter that comes next.</summary>
            internal double Next(string counter)
            {
                Assert.True(Of(counter).TryTake(out double value, s_patience), $"nothing is heard of {counter}");
                return value;
            }

            internal void Await(string counter, double value)
            {
                while (Next(counter) != value)
                {
                }
            }

            protected override void OnEventSourceCreated(EventSource source)
            {
                if (source.Name == "Perflab-LabPool")
                {
                    var interval = new Dictionary<string, string?> { ["EventCounterIntervalSec"] = "0.1" };
                    EnableEvents(source, EventLevel.Informational, EventKeywords.None, interval);
                }
            }

            protected override void OnEventWritten(EventWrittenEventArgs written)
            {
                if (written.EventName == "EventCounters" && written.Payload?[0] is IDictionary<string, object> told)
                {
                    object value = told.TryGetValue("Mean", out object? mean) ? mean : told["Increment"];
                    Of((string)told["Name"]).Add((double)value);
                }
            }

            private BlockingCollection<double> Of(string counter) =>
                _values.GetOrAdd(counter, _ => new BlockingCollection<double>());
        }
    }
}
