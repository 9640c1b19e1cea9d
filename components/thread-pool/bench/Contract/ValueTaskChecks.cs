using System;
using System.Threading.Tasks;
using Perflab.ThreadPools.Measured;
using static Perflab.Bench.ContractException;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>Value tasks, whose completions are used again and again.</summary>
    internal static class ValueTaskChecks
    {
        private const int Rounds = 1_000;
        private const int AtOnce = 4;

        public static void Results(PoolDesign design)
        {
            using var pool = (IValueTaskPool)design.CreatePool(new PoolSettings { Threads = 2 });
            Waiting.For(Await(pool), "a value task");
        }

        private static async Task Await(IValueTaskPool pool)
        {
            var tasks = new ValueTask<int>[AtOnce];
            for (int round = 0; round < Rounds; round++)
            {
                for (int i = 0; i < AtOnce; i++)
                {
                    int number = (round * AtOnce) + i;
                    tasks[i] = pool.RunValueAsync(
                        () => number % AtOnce == 0 ? throw new NotSupportedException($"{number}") : number);
                }

                for (int i = 0; i < AtOnce; i++)
                {
                    int expected = (round * AtOnce) + i;
                    int outcome = await Outcome(tasks[i]).ConfigureAwait(false);
                    Require(outcome == expected, $"value task {expected} had the outcome {outcome}");
                }
            }
        }

        private static async Task<int> Outcome(ValueTask<int> task)
        {
            try
            {
                return await task.ConfigureAwait(false);
            }
            catch (NotSupportedException thrown)
            {
                return int.Parse(thrown.Message, System.Globalization.CultureInfo.InvariantCulture);
            }
        }
    }
}
