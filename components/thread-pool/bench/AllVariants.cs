using System;
using System.Collections.Generic;
using Perflab.Bench;
using Perflab.ThreadPools.Catga;
using Perflab.ThreadPools.Lab;
using Perflab.ThreadPools.Peers;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>What can be measured against each other.</summary>
    internal static class AllVariants
    {
        public static IEnumerable<Variant<PoolDesign>> List()
        {
            yield return new Variant<PoolDesign>(
                "catga-before", Role.Before, "Catga's pool, P to 2P threads, scaling", "src/Catga",
                PoolDesign.OfPool(settings => new CatgaPool(CatgaConfigurations.Before(settings))));
            yield return new Variant<PoolDesign>(
                "catga-after", Role.After, "Catga's pool, 2P to 4P threads, no scaling", "src/Catga",
                PoolDesign.OfPool(settings => new CatgaPool(CatgaConfigurations.After(settings))));
            yield return new Variant<PoolDesign>(
                "catga-unitask", Role.Before, "catga-before by pooled value tasks, awaited to their end", "src/Catga",
                PoolDesign.OfValueTasks(
                    settings => new CatgaPool(CatgaConfigurations.Before(settings)), PoolDesign.Awaiting.ValueTasks),
                AllScenarios.OfValueTasks);
            yield return new Variant<PoolDesign>(
                "catga-unitask-as-measured", Role.Before,
                "the same as the report measured it: the clock stops when all is queued", "src/Catga",
                PoolDesign.OfValueTasks(
                    settings => new CatgaPool(CatgaConfigurations.Before(settings)), PoolDesign.Awaiting.NotMeasured),
                AllScenarios.OfValueTasks);
            yield return new Variant<PoolDesign>(
                "dotnet", Role.Peer, ".NET's own thread pool", "src/Peers/DotnetPool.cs",
                PoolDesign.OfSharedPool(settings => new DotnetPool(settings.Threads)));
            yield return new Variant<PoolDesign>(
                "dotnet-parallel", Role.Peer, "Parallel.For on .NET's own thread pool", "src/Peers/ParallelLoop.cs",
                PoolDesign.OfLoop(settings => new ParallelLoop(settings.Threads)),
                AllScenarios.OfLoops);
            yield return new Variant<PoolDesign>(
                "dedicated", Role.Peer, "a BlockingCollection and a thread per processor", "src/Peers/DedicatedPool.cs",
                PoolDesign.OfPool(settings => new DedicatedPool(settings.Threads ?? Environment.ProcessorCount)));
            yield return new Variant<PoolDesign>(
                "lab", Role.Lab, "the lab's own: priorities, stealing, wake-ups, no allocation", "src/Lab",
                PoolDesign.OfPool(settings => new LabPool(LabConfiguration.Of(settings))));
        }
    }
}
