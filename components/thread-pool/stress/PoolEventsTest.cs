using System.Diagnostics.Tracing;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    public class PoolEventsTest
    {
        /// <summary>Forbidden: a task in a box that was used before is told to have waited since then.</summary>
        [Fact]
        public void ABoxForgetsWhenAnEarlierTaskWasQueued()
        {
            WorkItem box = WorkBox<Call>.Of(new Call(() => { }), PerThread.Current);
            using (new Listener())
            {
                PoolEvents.Log.Queued(box, WorkPriority.Normal);
                Assert.NotEqual(0L, box.QueuedAt);
            }

            Assert.False(PoolEvents.Log.IsEnabled(), "nobody listens any more");
            box.Execute(PerThread.Current);
            WorkItem again = WorkBox<Call>.Of(new Call(() => { }), PerThread.Current);
            Assert.True(ReferenceEquals(box, again), "it is another box");
            using (var listener = new Listener())
            {
                PoolEvents.Log.Begin(again);
                Assert.Equal(-1L, listener.Waited);
            }
        }

        private sealed class Listener : EventListener
        {
            internal long Waited { get; private set; }

            protected override void OnEventSourceCreated(EventSource source)
            {
                if (source.Name == "Perflab-LabPool")
                {
                    EnableEvents(source, EventLevel.Verbose);
                }
            }

            protected override void OnEventWritten(EventWrittenEventArgs written)
            {
                if (written.EventName == nameof(PoolEvents.TaskStart))
                {
                    Waited = (long)written.Payload![0]!;
                }
            }
        }
    }
}
