using System;
using System.Threading.Tasks;

namespace Perflab.Testing.Tests
{
    /// <summary>
    /// Every assertion holds where it should, and fails where it should: the second half is the one that matters.
    /// </summary>
    public sealed class AssertTest
    {
        [Fact]
        public void EqualComparesValuesAndElements()
        {
            Assert.Equal(1, 1);
            Assert.Equal(new[] { 1, 2 }, new[] { 1, 2 });
            Assert.Equal(new[] { 1, 2 }, new System.Collections.Generic.List<int> { 1, 2 });
            Fails(() => Assert.Equal(new[] { 1, 2 }, new System.Collections.Generic.List<int> { 1, 3 }));
            Fails(() => Assert.Equal(1, 2));
            Fails(() => Assert.Equal("ab", "ba"));
            Fails(() => Assert.Equal(new[] { 1, 2 }, new[] { 2, 1 }));
            Fails(() => Assert.Equal(new[] { 1 }, new[] { 1, 1 }));
            Fails(() => Assert.NotEqual(1, 1));
        }

        [Fact]
        public void TheSimpleOnesFail()
        {
            Fails(() => Assert.True(false));
            Fails(() => Assert.False(true));
            Fails(() => Assert.Null(1));
            Fails(() => Assert.NotNull(null));
            Fails(() => Assert.Same(new object(), new object()));
            Fails(() => Assert.InRange(3, 1, 2));
            Fails(() => Assert.Contains("a", "b"));
            Fails(() => Assert.Contains(1, new[] { 2 }));
            Fails(() => Assert.DoesNotContain("a", "ab"));
            Fails(() => Assert.Empty(new[] { 1 }));
        }

        [Fact]
        public async Task ThrowsDemandsTheExactType()
        {
            Assert.Equal("x", Assert.Throws<ArgumentException>(() => throw new ArgumentException("x")).Message);
            Fails(() => Assert.Throws<Exception>(() => throw new ArgumentException("x")));
            Fails(() => Assert.Throws<Exception>(() => { }));
            await Assert.ThrowsAsync<ArgumentException>(() => Task.FromException(new ArgumentException("x")));
            await Assert.ThrowsAsync<AssertionException>(() => Assert.ThrowsAsync<Exception>(() => Task.CompletedTask));
        }

        private static void Fails(Action assertion)
        {
            try
            {
                assertion();
            }
            catch (AssertionException)
            {
                return;
            }

            throw new AssertionException("an assertion that does not hold passed");
        }
    }
}
