using System;
using System.IO;
using System.Linq;
using Perflab.Bench;
using Perflab.Testing;
using Perflab.ThreadPools.Measured;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>A contract and a validation that let a broken pool pass would be worth nothing.</summary>
    public sealed class BrokenPoolTest : IDisposable
    {
        private readonly TimeSpan _limit = Submission.Limit;

        public BrokenPoolTest() => Submission.Limit = TimeSpan.FromSeconds(1);

        public void Dispose() => Submission.Limit = _limit;

        [Theory]
        [InlineData(BrokenPool.Defect.LosesTasks, "every task runs once, submitted by more threads than processors")]
        [InlineData(
            BrokenPool.Defect.RunsTasksTwice,
            "every awaited task runs once, submitted by more threads than processors")]
        [InlineData(BrokenPool.Defect.SwallowsExceptions, "an exception reaches the caller")]
        [InlineData(BrokenPool.Defect.DropsTheQueueAtShutdown, "a shutdown that drains executes all that was accepted")]
        [InlineData(BrokenPool.Defect.CancelsOnlyAtFirst, "draining can be turned into cancelling")]
        public void TheContractFindsIt(BrokenPool.Defect defect, string statement)
        {
            Check<PoolDesign> check = PoolContract.Checks().Single(one => one.Name == statement);
            Assert.Throws<ContractException>(() => check.Run(Broken(defect), 60_000));
        }

        [Theory]
        [InlineData("cpu-bound", BrokenPool.Defect.LosesTasks, "every task ends: ")]
        [InlineData("cpu-bound", BrokenPool.Defect.RunsTasksTwice, "every task ran exactly once")]
        [InlineData("with-result", BrokenPool.Defect.LosesTasks, "every task ends: ")]
        [InlineData("priority", BrokenPool.Defect.RunsTasksTwice, "every task ran exactly once")]
        [InlineData("burst", BrokenPool.Defect.LosesTasks, "every task ends: ")]
        [InlineData("mixed", BrokenPool.Defect.LosesTasks, "every task ends: ")]
        [InlineData("blocking", BrokenPool.Defect.RunsTasksTwice, "every task ran exactly once")]
        [InlineData("fan-out", BrokenPool.Defect.LosesTasks, "every task ends: ")]
        [InlineData("sustained", BrokenPool.Defect.LosesTasks, "every task ends: ")]
        [InlineData("image-filter", BrokenPool.Defect.LosesTasks, "every task ends: ")]
        [InlineData("enqueue", BrokenPool.Defect.LosesTasks, "every task ends: ")]
        public void TheScenarioFindsIt(string scenario, BrokenPool.Defect defect, string evidence)
        {
            var printed = new StringWriter();
            int status = new Bench<PoolDesign>("broken")
                .Scenarios(AllScenarios.List())
                .Variants(new[] { new Variant<PoolDesign>("broken", Role.Peer, "", "", Broken(defect)) })
                .Run(
                    new[]
                    {
                        "run", "--scenario", scenario, "--variant", "broken", "--warmup-ms", "0", "--sample-ms", "100",
                        "--samples", "1",
                    },
                    printed);
            Assert.Contains("\"kind\":\"validation\",\"message\":\"" + evidence, printed.ToString());
            Assert.Equal(4, status);
        }

        private static PoolDesign Broken(BrokenPool.Defect defect) =>
            PoolDesign.OfPool(settings => new BrokenPool(defect));
    }
}
