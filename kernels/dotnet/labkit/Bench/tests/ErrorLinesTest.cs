using System.IO;
using System.Linq;
using Perflab.Testing;

namespace Perflab.Bench.Tests
{
    /// <summary>Each way to fail is one line and an exit status of the protocol.</summary>
    public sealed class ErrorLinesTest
    {
        private readonly Fixture _fixture = new Fixture();

        [Fact]
        public void AnUnknownScenarioNamesAll()
        {
            AssertUsage(_fixture.Run("run", "--scenario", "cuonting", "--variant", "four"));
            AssertMessage("unknown scenario 'cuonting'", "counting", "summing");
        }

        [Fact]
        public void AnUnknownVariantNamesAll()
        {
            AssertUsage(_fixture.Run("run", "--scenario", "counting", "--variant", "seventeen"));
            AssertMessage("unknown variant 'seventeen'", "three", "four");
        }

        [Fact]
        public void AScenarioThatTheVariantLacksNamesThoseItHas()
        {
            AssertUsage(_fixture.Run("run", "--scenario", "summing", "--variant", "four"));
            AssertMessage("variant 'four' does not support scenario 'summing'", "counting");
        }

        [Theory]
        [InlineData("step=0", "a whole number from 1 to 10")]
        [InlineData("step=11", "a whole number from 1 to 10")]
        [InlineData("step=x", "a whole number from 1 to 10")]
        [InlineData("step=", "a whole number from 1 to 10")]
        [InlineData("step=1.5", "a whole number from 1 to 10")]
        [InlineData("step=99999999999999999999", "a whole number from 1 to 10")]
        [InlineData("ratio=-0.1", "a number from 0 to 1")]
        [InlineData("ratio=NaN", "a number from 0 to 1")]
        [InlineData("ratio=Infinity", "a number from 0 to 1")]
        [InlineData("ratio=half", "a number from 0 to 1")]
        [InlineData("fail=yes", "true or false")]
        public void AValueThatIsNotAllowedNamesWhatIs(string pair, string allowed)
        {
            AssertUsage(_fixture.RunOnce("--param", pair));
            string[] parts = pair.Split('=');
            AssertMessage($"parameter '{parts[0]}' cannot be '{parts[1]}'", allowed);
        }

        [Fact]
        public void AWordThatIsNoChoiceNamesTheChoices()
        {
            AssertUsage(_fixture.RunOnce("--param", "mode=plein"));
            AssertMessage("parameter 'mode' cannot be 'plein'", "plain", "throwing", "timeless");
        }

        [Fact]
        public void AnUnknownParameterNamesAll()
        {
            AssertUsage(_fixture.RunOnce("--param", "stepp=1"));
            AssertMessage("unknown parameter 'stepp'", "step", "ratio", "fail", "mode");
        }

        [Theory]
        [InlineData("--samples=0", "a whole number of at least 1")]
        [InlineData("--warmup-ms=-1", "a whole number of at least 0")]
        [InlineData("--samples=x", "--samples with a whole number")]
        [InlineData("--seed=x", "--seed with a whole number")]
        [InlineData("--param=step", "--param NAME=VALUE")]
        [InlineData("--sampels=3", "--samples")]
        [InlineData("--samples", "--samples")]
        public void WhatCannotBeParsedIsAUsageErrorToo(string argument, string allowed)
        {
            AssertUsage(_fixture.RunOnce(argument));
            Assert.Contains(
                allowed, _fixture.Last.GetProperty("allowed").EnumerateArray().Select(line => line.GetString()!));
        }

        [Fact]
        public void AMissingOptionOrCommandIsNamed()
        {
            AssertUsage(_fixture.Run("run", "--scenario", "counting"));
            Assert.Contains("--variant", _fixture.Text);
            AssertUsage(_fixture.Run("descrbe"));
            AssertMessage("unknown command 'descrbe'", "describe", "run", "contract");
            AssertUsage(_fixture.Run());
            AssertMessage("no command was given", "describe", "run", "contract");
        }

        [Fact]
        public void AFailedValidationEndsTheRunWithStatusFour()
        {
            Assert.Equal(4, _fixture.RunOnce("--param", "fail=true"));
            Assert.Equal(new[] { "start", "error" }, _fixture.Types);
            Assert.Contains(
                "{\"type\":\"error\",\"kind\":\"validation\",\"message\":\"counts are right: they are not\"}",
                _fixture.Text);
            Assert.True(_fixture.Counting.Closed, "the experiment was left open");
        }

        [Fact]
        public void AnythingThrownEndsTheRunWithStatusOne()
        {
            Assert.Equal(1, _fixture.RunOnce("--param", "mode=throwing"));
            Assert.Equal(new[] { "start", "error" }, _fixture.Types);
            Assert.Equal("internal", _fixture.Last.GetProperty("kind").GetString());
            Assert.Equal(
                "System.InvalidOperationException: thrown on purpose",
                _fixture.Last.GetProperty("message").GetString());
            Assert.True(_fixture.Counting.Closed, "the experiment was left open");
        }

        [Fact]
        public void WhatIsNoPluginIsAUsageError()
        {
            AssertUsage(_fixture.Run("describe", "--plugin", "none.dll"));
            AssertMessage("no plug-in can be read at 'none.dll'");
            string path = Path.GetTempFileName();
            AssertUsage(_fixture.Run("describe", "--plugin", path));
            Assert.Contains("does not load", _fixture.Text);
            File.Delete(path);
        }

        [Fact]
        public void HelpIsNoError()
        {
            Assert.Equal(0, _fixture.Run("run", "--help"));
            Assert.Contains("--sample-ms", _fixture.Text);
            Assert.DoesNotContain("\"error\"", _fixture.Text);
        }

        private void AssertUsage(int status)
        {
            Assert.Equal(2, status);
            Assert.Equal(new[] { "error" }, _fixture.Types);
            Assert.Equal("usage", _fixture.Last.GetProperty("kind").GetString());
        }

        private void AssertMessage(string message, params string[] allowed)
        {
            Assert.Equal(message, _fixture.Last.GetProperty("message").GetString());
            Assert.Equal(
                allowed,
                _fixture.Last.TryGetProperty("allowed", out var list)
                    ? list.EnumerateArray().Select(line => line.GetString()!).ToArray()
                    : new string[0]);
        }
    }
}
