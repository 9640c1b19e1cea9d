using System;
using System.Linq;
using System.Threading;
using Perflab.Testing;

namespace Perflab.Bench.Tests
{
    public sealed class DescribeTest
    {
        private readonly Fixture _fixture = new Fixture();

        public DescribeTest() => Assert.Equal(0, _fixture.Run("describe"));

        [Fact]
        public void DescribeIsOneObjectOfVersionOneOfThisRuntime()
        {
            Assert.Equal(1, _fixture.Lines.Count);
            Assert.Equal(1, _fixture.Last.GetProperty("protocol").GetInt32());
            Assert.Equal("fixture", _fixture.Last.GetProperty("component").GetString());
            Assert.Equal(
                Environment.Version.ToString(),
                _fixture.Last.GetProperty("runtime").GetProperty("version").GetString());
        }

        [Fact]
        public void AScenarioTellsItsOperationMetricsAndParameters()
        {
            Assert.Contains(
                "{\"name\":\"counting\",\"title\":\"Counting\",\"operation\":\"a count\",\"unit\":\"counts/s\","
                + "\"better\":\"higher\",\"metric\":\"rate\",\"metrics\":[{\"name\":\"odd\",\"of\":\"counter:odd/op\","
                + "\"unit\":\"odd counts/count\",\"better\":\"lower\"}],\"parameters\":["
                + "{\"name\":\"step\",\"type\":\"int\","
                + "\"default\":1,\"help\":\"how far a count goes\",\"min\":1,\"max\":10},",
                _fixture.Text);
            Assert.Contains(
                "\"type\":\"bool\",\"default\":false,\"help\":\"whether validation fails\"}", _fixture.Text);
            Assert.Contains("\"choices\":[\"plain\",\"throwing\",\"timeless\",\"idle\"]", _fixture.Text);
        }

        [Fact]
        public void AVariantTellsItsRoleAndWhatItSupports()
        {
            var variants = _fixture.Last.GetProperty("variants").EnumerateArray().ToArray();
            Assert.Equal("before", variants[0].GetProperty("role").GetString());
            Assert.Equal(2, variants[0].GetProperty("scenarios").GetArrayLength());
            Assert.Equal(
                "counting", variants[1].GetProperty("scenarios").EnumerateArray().Single().GetString());
        }
    }

    public sealed class RunTest
    {
        private readonly Fixture _fixture = new Fixture();

        [Fact]
        public void ARunIsAStartItsSamplesAndAnEnd()
        {
            Assert.Equal(0, _fixture.Run(
                "run", "--scenario", "counting", "--variant", "three", "--warmup-ms", "0", "--sample-ms", "3000",
                "--samples", "2",
                "--param", "step=2", "--seed", "9"));
            Assert.Equal(new[] { "start", "sample", "sample", "end" }, _fixture.Types);
            Assert.Contains(
                "\"params\":{\"step\":2,\"ratio\":0.5,\"fail\":false,\"mode\":\"plain\"},\"seed\":9", _fixture.Text);
            Assert.Contains(
                "{\"type\":\"sample\",\"i\":1,\"ops\":6,\"ns\":3000000000,\"percentiles\":{\"p0\":1000", _fixture.Text);
            Assert.Contains("\"max\":1000},\"counters\":{\"odd\":3}}", _fixture.Text);
            Assert.Contains(
                "{\"type\":\"end\",\"samples\":2,\"ops\":12,\"ns\":6000000000,"
                + "\"validation\":{\"passed\":true,\"checks\":[\"counts are right\"]}}",
                _fixture.Text);
            Assert.True(_fixture.Counting.Closed);
        }

        [Fact]
        public void WarmUpIsInNoSample()
        {
            _fixture.RunOnce("--warmup-ms", "5000");
            Assert.Equal(6, _fixture.Counting.Repetitions);
            Assert.Equal(1, _fixture.Last.GetProperty("ops").GetInt32());
        }

        [Fact]
        public void OneSeedGivesTheSameNumbersAndAnotherSeedOthers()
        {
            foreach (string seed in new[] { "7", "7", "8", "4294967303" })
            {
                _fixture.RunOnce("--seed", seed);
            }

            Assert.Equal(_fixture.Counting.Drawn[0], _fixture.Counting.Drawn[1]);
            Assert.Equal(3, _fixture.Counting.Drawn.Distinct().Count());
        }

        [Fact]
        public void ASampleEndsByTheWallClockIfItsOwnCoversLittle()
        {
            Assert.Equal(0, _fixture.RunOnce("--param=mode=idle"));
            Assert.Equal(1, _fixture.Counting.Repetitions);
        }

        [Fact]
        public void ARepetitionWithoutTimeIsAnErrorAndNoEndlessRun()
        {
            Assert.Equal(1, _fixture.RunOnce("--param=mode=timeless"));
            Assert.Contains("recorded no time", _fixture.Last.GetProperty("message").GetString());
        }
    }

    /// <summary>A public class of this assembly, so that the assembly is a plug-in of the fixture.</summary>
    public sealed class HTTPTool2 : IDisposable
    {
        public void Dispose()
        {
        }
    }

    public sealed class ContractTest
    {
        private readonly Fixture _fixture = new Fixture();

        [Fact]
        public void EachCheckIsALineAndAFailureIsStatusFour()
        {
            Assert.Equal(4, _fixture.Run("contract", "--variant", "three"));
            Assert.Equal(new[] { "check", "check", "end" }, _fixture.Types);
            Assert.Contains("\"name\":\"is even\",\"passed\":false,\"message\":\"3 is odd\"", _fixture.Text);
            Assert.Contains("\"checks\":2,\"failed\":1", _fixture.Text);
        }

        [Fact]
        public void AVariantThatKeepsItIsStatusZero() => Assert.Equal(0, _fixture.Run("contract", "--variant", "four"));

        [Fact]
        public void NothingToCheckIsAUsageError() => Assert.Equal(2, _fixture.Run("contract"));

        [Fact]
        public void ACheckThatHangsFails()
        {
            var check = new Check<int>("ends", _ => Thread.Sleep(Timeout.Infinite));
            Assert.Contains(
                "did not end within 20 ms", Assert.Throws<ContractException>(() => check.Run(1, 20)).Message);
        }

        [Fact]
        public void PublicClassesOfAnAssemblyAreVariants()
        {
            Assert.Equal(0, _fixture.Run("describe", "--plugin", typeof(ContractTest).Assembly.Location));
            Assert.Contains("{\"name\":\"http-tool2\",\"role\":\"yours\"", _fixture.Text);
        }
    }
}
