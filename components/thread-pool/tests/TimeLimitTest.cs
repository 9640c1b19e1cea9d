using System;
using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools
{
    public sealed class TimeLimitTest
    {
        [Fact]
        public void NothingIsLeftOfATimeThatIsOver()
        {
            Assert.Equal(TimeSpan.Zero, new TimeLimit(TimeSpan.Zero).Left);
            Assert.Equal(TimeSpan.Zero, new TimeLimit(TimeSpan.FromSeconds(-2)).Left);
        }

        [Fact]
        public void WithoutALimitNothingRunsOut()
        {
            Assert.Equal(Timeout.InfiniteTimeSpan, new TimeLimit(Timeout.InfiniteTimeSpan).Left);
            Assert.Equal(Timeout.InfiniteTimeSpan, new TimeLimit(TimeSpan.MaxValue).Left);
        }

        [Fact]
        public void WhatIsLeftBecomesLessAndCanBeWaitedFor()
        {
            var limit = new TimeLimit(TimeSpan.FromDays(20));
            TimeSpan first = limit.Left;
            Thread.Sleep(1);
            Assert.True(limit.Left <= first, "time went back");
            Assert.True(first.TotalMilliseconds <= int.MaxValue, "no wait can be asked for that");
            using var signal = new ManualResetEvent(true);
            Assert.True(signal.WaitOne(new TimeLimit(TimeSpan.FromDays(400)).Left));
        }
    }
}
