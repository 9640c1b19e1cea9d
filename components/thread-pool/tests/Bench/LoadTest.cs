using System.Linq;
using Perflab.Testing;

namespace Perflab.ThreadPools.Measured
{
    public sealed class LoadTest
    {
        [Fact]
        public void TheReportsLoadsHaveItsValues()
        {
            Assert.Equal(Enumerable.Range(0, 1_000).Sum(j => j * j), (int)Load.Of("squares", 1_000).Execute());
            Assert.Equal(Enumerable.Range(0, 100).Sum(), (int)Load.Of("sum", 100).Execute());
            Assert.Equal(100, Load.Of("spin", 100).Execute());
        }

        [Fact]
        public void ACalibratedLoadIsTheSameEachTimeAndAnotherForAnotherLength()
        {
            Load load = Load.Of("ns", 1_000);
            Assert.Equal(load.Execute(), load.Execute());
            Assert.NotEqual(load.Execute(), Load.Of("ns", 2_000).Execute());
        }

        [Fact]
        public void EveryNameIsALoad() =>
            Assert.Equal(4, Load.Names.Select(name => Load.Of(name, 7).Execute()).Count());
    }
}
