using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Xml.Linq;

namespace Perflab.Testing.Tests
{
    public sealed class TestProgramTest : IDisposable
    {
        private readonly string _report = Path.Combine(Path.GetTempPath(), Guid.NewGuid() + ".xml");
        private readonly TextWriter _console = Console.Out;
        private readonly StringWriter _printed = new StringWriter();

        public TestProgramTest() => Console.SetOut(_printed);

        public void Dispose()
        {
            Console.SetOut(_console);
            File.Delete(_report);
        }

        [Theory]
        [InlineData("Passes", 0, null!)]
        [InlineData("Fails", 1, "failure")]
        [InlineData("Throws", 1, "error")]
        [InlineData("FailsLater", 1, "failure")]
        [InlineData("Hangs", 1, "failure")]
        [InlineData("IsSkipped", 1, "skipped")]
        public void EachOutcomeHasItsStatusAndItsElement(string test, int status, string element)
        {
            Assert.Equal(status, Run("--filter", $"Samples#{test}"));
            XElement @case = Cases().Single();
            Assert.Equal("Perflab.Testing.Tests.Samples", @case.Attribute("classname")!.Value);
            Assert.Equal(test, @case.Attribute("name")!.Value);
            Assert.Equal(element, @case.Elements().SingleOrDefault()?.Name.LocalName);
        }

        [Fact]
        public void ATheoryIsACaseForEachOfItsData()
        {
            Assert.Equal(1, Run("--filter", "Samples#IsEven"));
            Assert.Equal(
                new[] { "IsEven(2, two)", "IsEven(3, three)" }, Cases().Select(c => c.Attribute("name")!.Value));
            Assert.Contains("TestingTests: 1 passed, 1 failed", _printed.ToString());
        }

        [Fact]
        public void CategoriesArePickedAndLeftOut()
        {
            Assert.Equal(1, Run("--only", Samples.Category));
            Assert.Contains("2 passed, 5 failed, 1 skipped", _printed.ToString());
            Assert.Equal(1, Run("--only", Samples.Category, "--exclude", Samples.Category));
            Assert.Contains("0 passed, 0 failed", _printed.ToString());
        }

        [Fact]
        public void EachTestHasAnInstanceThatIsDisposedOf()
        {
            int instances = Samples.Instances;
            int disposed = Samples.Disposed;
            Run("--filter", "Samples#Passes,Samples#Fails");
            Assert.Equal(2, Samples.Instances - instances);
            Assert.Equal(2, Samples.Disposed - disposed);
        }

        [Theory]
        [InlineData("--filter", "Samples#NoSuchTest")]
        [InlineData("--fliter", "Samples")]
        [InlineData("--filter", null!)]
        public void AWrongCommandLineIsNoRunOfNothing(string option, string value)
        {
            TextWriter error = Console.Error;
            Console.SetError(TextWriter.Null);
            Assert.Equal(2, TestProgram.Run(
                Assembly.GetExecutingAssembly(), new[] { option, value }.OfType<string>().ToArray()));
            Console.SetError(error);
        }

        private int Run(params string[] args) =>
            TestProgram.Run(Assembly.GetExecutingAssembly(), args.Concat(new[] { "--report", _report }).ToArray());

        private XElement[] Cases() => XDocument.Load(_report).Descendants("testcase").ToArray();
    }
}
