using System;
using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Runtime.CompilerServices;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// What the pool tells those who listen: an EventSource, for EventListener, dotnet-trace and dotnet-counters.
    /// </summary>
    /// <remarks>
    /// <para>Events of single tasks have to be switched on before the first pool is made. As <see cref="Observed"/> is
    /// static and readonly, the compiled code of a pool that nobody observes holds neither events nor the test for
    /// them:</para>
    /// <code>
    ///   switch off                     no code
    ///   switch on, nobody listens      two tests per task
    ///   switch on, somebody listens    three events per task, and three looks at the clock
    /// </code>
    /// <para>Threads that come and go, or do not start, are rare and always told to who listens; so are the
    /// counters, which are read once in a while and need no switch (PoolEvents.Counters.cs).</para>
    /// </remarks>
    [EventSource(Name = "Perflab-LabPool")]
    public sealed partial class PoolEvents : EventSource
    {
        /// <summary>The switch of AppContext; true to have the events of tasks.</summary>
        public const string SwitchName = "Perflab.ThreadPools.Lab.ObserveTasks";

        /// <summary>What the switch was when it was first asked for.</summary>
        public static readonly bool Observed = AppContext.TryGetSwitch(SwitchName, out bool on) && on;

        public static readonly PoolEvents Log = new PoolEvents();

        /// <summary>How long a task has waited that was queued before anybody listened, or is a Task, which has no room
        /// for the time.</summary>
        private const long Unknown = -1;

        private PoolEvents()
        {
        }

        [Event(1, Level = EventLevel.Verbose, Message = "task queued with priority {0}")]
        public void TaskQueued(int priority) => WriteEvent(1, priority);

        [Event(2, Level = EventLevel.Verbose, Message = "task begun after {0} ns in the queue")]
        public void TaskStart(long queuedNs) => WriteEvent(2, queuedNs);

        [Event(3, Level = EventLevel.Verbose, Message = "task ended after {0} ns")]
        public void TaskStop(long workedNs) => WriteEvent(3, workedNs);

        [Event(4, Level = EventLevel.Informational, Message = "{0} threads, of {1} tasks a second")]
        public void ThreadsChanged(int threads, double tasksPerSecond) => WriteEvent(4, threads, tasksPerSecond);

        [Event(5, Level = EventLevel.Error, Message = "a thread did not start: {0}")]
        public void ThreadNotStarted(string exception) => WriteEvent(5, exception);

        [NonEvent]
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal void Queued(object item, WorkPriority priority)
        {
            if (item is WorkItem work)
            {
                work.QueuedAt = Stopwatch.GetTimestamp();
            }

            TaskQueued((int)priority);
        }

        /// <summary>When, in ticks of Stopwatch.</summary>
        [NonEvent]
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal long Begin(object item)
        {
            long begun = Stopwatch.GetTimestamp();
            long queuedAt = item is WorkItem work ? work.QueuedAt : 0;
            TaskStart(queuedAt == 0 ? Unknown : Nanoseconds(begun - queuedAt));
            return begun;
        }

        [NonEvent]
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal void End(long begun) => TaskStop(Nanoseconds(Stopwatch.GetTimestamp() - begun));

        private static long Nanoseconds(long ticks) => ticks * (1_000_000_000 / Stopwatch.Frequency);
    }
}
