using System.Diagnostics.Tracing;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>The events of tasks, for whoever listens to <c>Perflab-Catga</c>.</summary>
    [EventSource(Name = "Perflab-Catga")]
    internal sealed class CatgaEvents : EventSource
    {
        public static readonly CatgaEvents Log = new CatgaEvents();

        private CatgaEvents()
        {
        }

        [Event(1)]
        public void TaskQueued(int priority) => WriteEvent(1, priority);

        [Event(2)]
        public void TaskStarted(int priority) => WriteEvent(2, priority);

        [Event(3)]
        public void TaskCompleted(int priority, double milliseconds) => WriteEvent(3, priority, milliseconds);
    }
}
