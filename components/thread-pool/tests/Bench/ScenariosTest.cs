using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using Perflab.Testing;

namespace Perflab.ThreadPools.Measured
{
    public sealed class ScenariosTest
    {
        /// <summary>
        /// Every variant in every scenario that it supports, once; the scenarios validate themselves.
        /// </summary>
        [Theory(Timeout = 300_000)]
        [InlineData("catga-before")]
        [InlineData("catga-after")]
        [InlineData("catga-unitask")]
        [InlineData("catga-unitask-as-measured")]
        [InlineData("dotnet")]
        [InlineData("dotnet-parallel")]
        [InlineData("dedicated")]
        [InlineData("lab")]
        public void AVariantPassesTheValidationOfItsScenarios(string variant)
        {
            List<string> failures = AllScenarios.List()
                .Select(scenario => scenario.Spec.Name)
                .Where(AllVariants.List().Single(one => one.Name == variant).Supports)
                .Select(scenario => (scenario, printed: Run(scenario, variant)))
                .Where(outcome => !outcome.printed.Contains("\"passed\":true"))
                .Select(outcome => $"{outcome.scenario}: {outcome.printed}")
                .ToList();
            Assert.Equal(Array.Empty<string>(), failures);
        }

        [Fact]
        public void EveryVariantIsTested()
        {
            IEnumerable<string> tested = typeof(ScenariosTest)
                .GetMethod(nameof(AVariantPassesTheValidationOfItsScenarios))!
                .GetCustomAttributes(typeof(InlineDataAttribute), false)
                .Select(data => (string)((InlineDataAttribute)data).Arguments[0]);
            Assert.Equal(
                AllVariants.List().Select(variant => variant.Name).OrderBy(name => name), tested.OrderBy(name => name));
        }

        [Fact]
        public void ScenariosOfVariantsExist()
        {
            string[] names = AllScenarios.List().Select(scenario => scenario.Spec.Name).ToArray();
            Assert.Empty(AllScenarios.OfLoops.Concat(AllScenarios.OfValueTasks).Except(names));
        }

        [Theory]
        [InlineData("--param=observability=off")]
        [InlineData("--param=observability=listened")]
        [InlineData("--param=path=struct")]
        [InlineData("--param=stamps=true")]
        [InlineData("--param=work=squares")]
        [InlineData("--param=work=sum")]
        [InlineData("--param=work=ns")]
        [InlineData("--param=idle-sleep-ms=15.6")]
        [InlineData("--param=threads=5")]
        [InlineData("--param=scaling=on")]
        [InlineData("--param=gap-us=0")]
        [InlineData("--param=spin-us=0")]
        public void AParameterIsTakenAndLeavesTheOutcomeRight(string parameter) =>
            Assert.Contains("\"passed\":true", Run("cpu-bound", "catga-after", parameter));

        [Fact]
        public void StampsTellWhereTheTimeWent()
        {
            string printed = Run("cpu-bound", "catga-before", "--param=stamps=true");
            foreach (string counter in new[] { "queued_ns", "working_ns", "first_start_ns", "asleep_ns" })
            {
                Assert.Contains($"\"{counter}\":", printed);
            }
        }

        /// <summary>Counters of a whole batch, divided by the time of its urgent tasks, would be more threads or
        /// processors than there are.</summary>
        [Fact]
        public void TheTimeOfABatchWithUrgentTasksIsThatOfItsCounters()
        {
            JsonElement sample = SampleOf(Run("priority", "dedicated", "--param=threads=2"));
            long ns = sample.GetProperty("ns").GetInt64();
            JsonElement counters = sample.GetProperty("counters");
            Assert.Equal(2 * ns, counters.GetProperty("thread_ns").GetInt64());
            Assert.InRange(counters.GetProperty("urgent_ns").GetInt64(), 1, ns);
        }

        private static JsonElement SampleOf(string printed) => JsonDocument.Parse(
            printed.Split('\n').Single(line => line.Contains("\"type\":\"sample\"", StringComparison.Ordinal)))
            .RootElement;

        private static string Run(string scenario, string variant, params string[] more)
        {
            var printed = new StringWriter();
            Program.Create().Run(
                new[]
                {
                    "run", "--scenario", scenario, "--variant", variant, "--warmup-ms", "0", "--sample-ms", "1",
                    "--samples", "1",
                }.Concat(more).ToArray(),
                printed);
            return printed.ToString();
        }
    }
}
