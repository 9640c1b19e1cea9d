using System;
using System.Diagnostics;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    public class SpinBudgetTest
    {
        private readonly SpinBudget _budget = new SpinBudget(TimeSpan.FromSeconds(8.0 * SpinBudget.Smallest / Stopwatch.Frequency));

        [Fact]
        public void LongSleepsTeachNoSpinning()
        {
            _budget.Idled(_budget.ShortPause);
            Assert.Equal(0L, _budget.Ticks);
        }

        [Fact]
        public void ShortSleepsTeachSpinningUpToALimit()
        {
            _budget.Idled(0);
            Assert.Equal(SpinBudget.Smallest, _budget.Ticks);
            for (int i = 0; i < 10; i++)
            {
                _budget.Idled(0);
            }

            Assert.Equal(8 * SpinBudget.Smallest, _budget.Ticks);
        }

        [Fact]
        public void SpinningInVainIsGivenUp()
        {
            ShortSleepsTeachSpinningUpToALimit();
            for (int i = 0; i < 4; i++)
            {
                _budget.Failed();
            }

            Assert.Equal(0L, _budget.Ticks);
        }

        [Fact]
        public void SpinningThatPaysOffGoesOn()
        {
            _budget.Idled(0);
            _budget.PaidOff();
            Assert.Equal(2 * SpinBudget.Smallest, _budget.Ticks);
        }

        [Fact]
        public void WithoutALimitThereIsNoSpinning()
        {
            var none = new SpinBudget(TimeSpan.Zero);
            none.Idled(0);
            Assert.Equal(0L, none.Ticks);
        }
    }
}
