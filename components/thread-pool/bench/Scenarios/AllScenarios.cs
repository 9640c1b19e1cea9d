using System.Collections.Generic;
using System.Linq;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>What can be measured, in the order in which tables show it.</summary>
    internal static class AllScenarios
    {
        /// <summary>Those whose tasks are known beforehand as a whole, so that a loop can execute them.</summary>
        public static readonly string[] OfLoops =
        {
            "cpu-bound", "burst", "mixed", "blocking", "image-filter",
        };

        /// <summary>Those of the report's rows that it has for UniTask.</summary>
        public static readonly string[] OfValueTasks = { "cpu-bound", "with-result" };

        public static IEnumerable<IScenario<PoolDesign>> List()
        {
            yield return ReportScenarios.CpuBound();
            yield return ReportScenarios.WithResult();
            yield return ReportScenarios.Priority();
            yield return LoadScenarios.Burst();
            yield return Sustained.Scenario();
            yield return LoadScenarios.Mixed();
            yield return LoadScenarios.Blocking();
            yield return FanOut.Scenario();
            yield return LoadScenarios.ImageFilter();
            yield return ReportScenarios.Enqueue();
            yield return Idle.Scenario();
        }
    }
}
