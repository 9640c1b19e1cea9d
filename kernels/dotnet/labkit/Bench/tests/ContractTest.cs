using System;
using System.Linq;
using System.Threading;
using Perflab.Testing;

namespace Perflab.Bench.Tests
{
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
