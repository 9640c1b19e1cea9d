using System;

namespace Perflab.Bench
{
    /// <summary>Something that can be measured of every variant. It keeps its own clock.</summary>
    /// <typeparam name="TSubject">what a variant hands to a scenario</typeparam>
    public interface IScenario<in TSubject>
    {
        /// <summary>What it tells about itself.</summary>
        ScenarioSpec Spec { get; }

        /// <summary>Sets up everything that outlives a repetition; none of it is timed.</summary>
        /// <param name="subject">what is measured</param>
        /// <param name="setting">this run's parameters, randomness and checks</param>
        IExperiment Open(TSubject subject, Setting setting);
    }

    /// <summary>
    /// A set-up scenario. Warm-up and samples repeat it; disposing of it makes the checks that can only be made at the
    /// end.
    /// </summary>
    public interface IExperiment : IDisposable
    {
        /// <summary>
        /// Performs the scenario once, times it with its own clock, records the outcome, and validates it outside the
        /// timed region.
        /// </summary>
        /// <param name="sample">where the operations, their time, latencies and counters go; no I/O in here</param>
        void Repeat(Sample sample);
    }
}
