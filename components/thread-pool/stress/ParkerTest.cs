using System;
using System.Threading;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    public class ParkerTest
    {
        [Fact]
        public void AWakeupThatComesFirstIsKeptOnce() => ForEachKind(parker =>
        {
            parker.Unpark();
            parker.Unpark();
            parker.Park();
            using (var second = new ManualResetEventSlim())
            {
                var sleeper = new Thread(() =>
                {
                    parker.Park();
                    second.Set();
                });
                sleeper.Start();
                Assert.False(second.Wait(20), "two wake-ups before a Park are one");
                parker.Unpark();
                Assert.True(second.Wait(TimeSpan.FromSeconds(30)));
                sleeper.Join();
            }
        });

        /// <summary>Forbidden: one of the two sleeps although the other has woken it.</summary>
        [Fact]
        public void NoWakeupIsLost() => ForEachKind(here =>
        {
            Parker there = here is FutexParker ? new FutexParker() : (Parker)new Parker.MonitorParker();
            const int Rounds = 20_000;
            new Crowd()
                .Add(1, _ => Play(Rounds, here, there))
                .Add(1, _ =>
                {
                    here.Unpark();
                    Play(Rounds, there, here);
                })
                .Run();
        });

        private static void Play(int rounds, Parker own, Parker other)
        {
            for (int i = 0; i < rounds; i++)
            {
                own.Park();
                other.Unpark();
            }
        }

        private static void ForEachKind(Action<Parker> test)
        {
            test(new Parker.MonitorParker());
            if (FutexParker.IsSupported)
            {
                test(new FutexParker());
            }
        }
    }
}
