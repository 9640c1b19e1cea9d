using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;
using System.Xml.Linq;

namespace Perflab.Testing.Tests
{
    /// <summary>Tests of every outcome, run by <see cref="TestingTest"/>.</summary>
    public sealed class Samples
    {
        [Fact]
        public void Passes()
        {
        }

        [Fact]
        public void Fails() => Assert.Fail("on purpose");

        [Fact]
        public void Throws() => throw new InvalidOperationException("on purpose");

        [Fact]
        public async Task FailsLater()
        {
            await Task.Yield();
            Assert.Fail("on purpose");
        }

        [Fact(Timeout = 50)]
        public void Hangs() => Thread.Sleep(Timeout.Infinite);
    }

    public sealed class TestingTest
    {
        [Theory]
        [InlineData("Passes", 0, null!)]
        [InlineData("Fails", 1, "failure")]
        [InlineData("Throws", 1, "error")]
        [InlineData("FailsLater", 1, "failure")]
        [InlineData("Hangs", 1, "failure")]
        [InlineData("NoSuchTest", 1, null!)]
        public void EachOutcomeHasItsStatusAndItsElement(string test, int status, string element)
        {
            string report = Path.GetTempFileName();
            string[] args = { "--filter", "Samples#" + test, "--report", report };
            Assert.Equal(status, TestProgram.Run(Assembly.GetExecutingAssembly(), args));
            XElement? @case = XDocument.Load(report).Descendants("testcase").SingleOrDefault();
            File.Delete(report);
            Assert.Equal(test == "NoSuchTest" ? null : test, (string?)@case?.Attribute("name"));
            Assert.Equal(element, @case?.Elements().SingleOrDefault()?.Name.LocalName);
        }

        [Fact]
        public void AssertionsFailWhereTheyShould()
        {
            Assert.Equal(new[] { 1, 2 }, new List<int> { 1, 2 });
            Assert.Equal("x", Assert.Throws<ArgumentException>(() => throw new ArgumentException("x")).Message);
            Action[] wrong =
            {
                () => Assert.True(false),
                () => Assert.False(true),
                () => Assert.Equal(1, 2),
                () => Assert.Equal(new[] { 1, 2 }, new[] { 2, 1 }),
                () => Assert.Equal(new[] { 1 }, new List<int> { 1, 1 }),
                () => Assert.NotEqual("a", "a"),
                () => Assert.Null(1),
                () => Assert.NotNull(null),
                () => Assert.InRange(3, 1, 2),
                () => Assert.Contains("a", "b"),
                () => Assert.Contains(1, new[] { 2 }),
                () => Assert.DoesNotContain("a", "ab"),
                () => Assert.Empty(new[] { 1 }),
                () => Assert.Throws<Exception>(() => { }),
                () => Assert.Throws<Exception>(() => throw new ArgumentException("another type")),
            };
            foreach (Action assertion in wrong)
            {
                Assert.Throws<AssertionException>(assertion);
            }
        }
    }
}
