using System;

namespace Perflab.Bench
{
    /// <summary>A scenario whose experiments a function sets up.</summary>
    /// <typeparam name="TSubject">what a variant hands to it</typeparam>
    public sealed class Scenario<TSubject> : IScenario<TSubject>
    {
        private readonly Func<TSubject, Setting, IExperiment> _open;

        public Scenario(ScenarioSpec spec, Func<TSubject, Setting, IExperiment> open) => (Spec, _open) = (spec, open);

        public ScenarioSpec Spec { get; }

        public IExperiment Open(TSubject subject, Setting setting) => _open(subject, setting);
    }
}
