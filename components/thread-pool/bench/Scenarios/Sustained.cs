using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// The open loop: the calling thread submits on schedule, whatever becomes of the tasks, and never skips what it is
    /// late for. It spins until a task is due, which takes one processor.
    /// </summary>
    /// <remarks>
    /// A sender that waits for the pool, or skips what it was late for, leaves out just those tasks that had to wait:
    /// Gil Tene's <i>coordinated omission</i> ("How NOT to Measure Latency"). Counting from the intended time is his
    /// remedy, as in wrk2.
    /// </remarks>
    internal sealed class Sustained : CountedTasks
    {
        private const long NsPerUs = 1_000;
        private const int MostTasks = 1_000_000;

        private readonly Schedule _schedule;
        private readonly long _lateNs;
        private int _late;

        private Sustained(PoolDesign design, Setting setting)
            : base(design, setting, Tasks(setting.Parameters), stamps: true)
        {
            _schedule = new Schedule(setting.Parameters.Long("rate"));
            _lateNs = setting.Parameters.Int("late-us") * NsPerUs;
        }

        /// <summary>
        /// Latency at a given rate: tasks are due on a schedule, and their latency counts from when they were due,
        /// whenever they were submitted.
        /// </summary>
        public static IScenario<PoolDesign> Scenario() => new Scenario<PoolDesign>(
            new ScenarioSpec(
                    "sustained",
                    "Tasks at a given rate",
                    "a task, from when it was due to its end",
                    new Metric("p99", "p99", "ns", Better.Lower))
                .With(
                    new Metric("p50", "p50", "ns", Better.Lower),
                    new Metric("p99.9", "p99.9", "ns", Better.Lower),
                    new Metric("max", "max", "ns", Better.Lower),
                    new Metric("achieved", "rate", "tasks/s", Better.Higher),
                    new Metric("late", "counter:late/op", "late submissions/task", Better.Lower),
                    new Metric("allocated", "counter:allocated_bytes/op", "bytes/task", Better.Lower),
                    new Metric("cpu", "counter:cpu_ns/op", "ns of CPU/task", Better.Lower),
                    new Metric("asleep", "counter:asleep_ns/ns", "threads asleep", Better.Lower))
                .With(
                    Parameter.OfInt("rate", 10_000, 100, 10_000_000, "tasks due per second"),
                    Parameter.OfInt("window-ms", 100, 10, 10_000, "how long a repetition submits, in ms"),
                    Parameter.OfInt(
                        "late-us", 50, 0, 1_000_000, "a submission further behind schedule than this is late, in us"),
                    Load.Work("ns"),
                    Load.Amount(5_000))
                .With(CommonParameters.OfPool),
            (design, setting) => new Sustained(design, setting));

        protected override void Submit(long startNs)
        {
            _late = 0;
            for (int i = 0; i < Log.Count; i++)
            {
                long dueNs = startNs + _schedule.DueNs(i);
                _late += Clock.SpinUntil(dueNs) - dueNs > _lateNs ? 1 : 0;
                Run(i);
            }
        }

        protected override void Record(long startNs, long ns, Sample sample)
        {
            sample.Count("late", _late);
            for (int i = 0; i < Log.Count; i++)
            {
                sample.Latency(Log.EndedNs(i) - startNs - _schedule.DueNs(i));
            }
        }

        /// <summary>How many tasks are due in a window.</summary>
        /// <exception cref="UsageException">They are too many.</exception>
        private static int Tasks(Parameters parameters)
        {
            long rate = parameters.Long("rate");
            long windowMs = parameters.Long("window-ms");
            long tasks = rate * windowMs / 1_000;
            return tasks <= MostTasks
                ? (int)tasks
                : throw new UsageException(
                    $"parameter 'window-ms' cannot be {windowMs} when 'rate' is {rate}",
                    $"a whole number from 10 to {MostTasks * 1_000L / rate}");
        }
    }
}
