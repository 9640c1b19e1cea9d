using System;
using System.IO;
using Perflab.Testing;

namespace Perflab.Bench.Tests
{
    /// <summary>Each way to fail is one line and an exit status of the protocol.</summary>
    public sealed class ErrorLinesTest
    {
        private const string Counting = "run --scenario counting --variant four ";

        private readonly Fixture _fixture = new Fixture();

        [Theory]
        [InlineData("", "unknown command ''")]
        [InlineData("descrbe", "unknown command 'descrbe'")]
        [InlineData("run --scenario counting", "the option '--variant' is missing")]
        [InlineData("run --scenario cuonting --variant four", "unknown scenario 'cuonting'")]
        [InlineData("run --scenario counting --variant seven", "unknown variant 'seven'")]
        [InlineData("run --scenario summing --variant four", "variant 'four' does not support scenario 'summing'")]
        [InlineData("describe --plugin", "option '--plugin' has no value")]
        [InlineData("describe --plugin none.dll", "no plug-in can be read at 'none.dll'")]
        [InlineData(Counting + "--sampels=3", "unknown option '--sampels'")]
        [InlineData(Counting + "--samples", "option '--samples' has no value")]
        [InlineData(Counting + "--samples=0", "--samples cannot be '0'")]
        [InlineData(Counting + "--warmup-ms=-1", "--warmup-ms cannot be '-1'")]
        [InlineData(Counting + "--seed=x", "--seed cannot be 'x'")]
        [InlineData(Counting + "--param=step", "'--param step' has no value")]
        [InlineData(Counting + "--param=stepp=1", "unknown parameter 'stepp'")]
        public void WhatTheCommandLineCannotBeIsRefusedInOneLine(string line, string message) =>
            AssertRefused(message, line.Split(' ', StringSplitOptions.RemoveEmptyEntries));

        [Fact]
        public void AParameterTakesWhatItAllows()
        {
            string pairs = "step=0 step=11 step=x step= step=1.5 step=99999999999999999999 ratio=-0.1 ratio=NaN "
                + "ratio=Infinity ratio=half fail=yes mode=plein";
            foreach (string pair in pairs.Split(' '))
            {
                string[] parts = pair.Split('=');
                AssertRefused(
                    $"parameter '{parts[0]}' cannot be '{parts[1]}'", (Counting + "--param " + pair).Split(' '));
            }
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
        public void AFileThatIsNoAssemblyIsAUsageError()
        {
            string path = Path.GetTempFileName();
            Assert.Equal(2, _fixture.Run("describe", "--plugin", path));
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

        private void AssertRefused(string message, string[] args)
        {
            Assert.Equal(2, _fixture.Run(args));
            Assert.Equal(new[] { "error" }, _fixture.Types);
            Assert.Equal("usage", _fixture.Last.GetProperty("kind").GetString());
            Assert.Equal(message, _fixture.Last.GetProperty("message").GetString());
        }
    }
}
