using System;
using System.Linq;
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
            Assert.Contains("\"choices\":[\"plain\",\"throwing\",\"timeless\"]", _fixture.Text);
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
}
