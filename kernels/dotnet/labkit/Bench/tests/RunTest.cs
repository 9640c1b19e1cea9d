using System.Linq;
using Perflab.Testing;

namespace Perflab.Bench.Tests
{
    public sealed class RunTest
    {
        private readonly Fixture _fixture = new Fixture();

        [Fact]
        public void ARunIsAStartItsSamplesAndAnEnd()
        {
            Assert.Equal(0, _fixture.Run(
                "run", "--scenario", "counting", "--variant", "three", "--warmup-ms", "0", "--sample-ms", "3",
                "--samples", "2",
                "--param", "step=2", "--seed", "9"));
            Assert.Equal(new[] { "start", "sample", "sample", "end" }, _fixture.Types);
            Assert.Contains(
                "\"params\":{\"step\":2,\"ratio\":0.5,\"fail\":false,\"mode\":\"plain\"},\"seed\":9", _fixture.Text);
            Assert.Contains(
                "{\"type\":\"sample\",\"i\":1,\"ops\":6,\"ns\":3000000,\"percentiles\":{\"p0\":1000", _fixture.Text);
            Assert.Contains("\"max\":1000},\"counters\":{\"odd\":3}}", _fixture.Text);
            Assert.Contains(
                "{\"type\":\"end\",\"samples\":2,\"ops\":12,\"ns\":6000000,"
                + "\"validation\":{\"passed\":true,\"checks\":[\"counts are right\"]}}",
                _fixture.Text);
            Assert.True(_fixture.Counting.Closed);
        }

        [Fact]
        public void WarmUpIsInNoSample()
        {
            _fixture.RunOnce("--warmup-ms", "5");
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
        public void ARepetitionWithoutTimeIsAnErrorAndNoEndlessRun()
        {
            Assert.Equal(1, _fixture.RunOnce("--param=mode=timeless"));
            Assert.Contains("recorded no time", _fixture.Last.GetProperty("message").GetString());
        }
    }
}
