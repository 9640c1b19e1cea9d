using Perflab.Bench;
using Perflab.ThreadPools.Contract;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>The bench program of the component.</summary>
    internal static class Program
    {
        public static Bench<PoolDesign> Create() => new Bench<PoolDesign>("thread-pool")
            .Scenarios(AllScenarios.List())
            .Variants(AllVariants.List())
            .Contract(PoolContract.Checks())
            .Plugins<IWorkPool>(create => PoolDesign.OfPool(settings => create()));

        private static int Main(string[] args) => Create().Main(args);
    }
}
