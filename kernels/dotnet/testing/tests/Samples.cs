using System;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.Testing.Tests
{
    /// <summary>
    /// Tests of every outcome. Left out of an ordinary run; <see cref="TestProgramTest"/> picks them.
    /// </summary>
    [Category(Category)]
    public sealed class Samples : IDisposable
    {
        public const string Category = "sample";

        public static int Instances;
        public static int Disposed;

        public Samples() => Instances++;

        public void Dispose() => Disposed++;

        [Fact]
        public void Passes()
        {
        }

        [Fact]
        public void Fails() => Assert.Equal(1, 2);

        [Fact]
        public void Throws() => throw new InvalidOperationException("on purpose");

        [Fact]
        public async Task FailsLater()
        {
            await Task.Yield();
            Assert.Fail("after a yield");
        }

        [Fact(Timeout = 50)]
        public void Hangs() => Thread.Sleep(Timeout.Infinite);

        [Fact(Skip = "for a reason")]
        public void IsSkipped() => Assert.Fail("it ran");

        [Theory]
        [InlineData(2, "two")]
        [InlineData(3, "three")]
        public void IsEven(int number, string name) => Assert.True(number % 2 == 0, name);
    }
}
