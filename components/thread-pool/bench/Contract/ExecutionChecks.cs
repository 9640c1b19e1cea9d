using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using static Perflab.Bench.ContractException;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>Exactly once, in any place and at any time.</summary>
    internal static class ExecutionChecks
    {
        private const int TasksEach = 2_000;

        private static readonly WorkPriority[] s_priorities =
        {
            WorkPriority.Low, WorkPriority.Normal, WorkPriority.High,
        };

        public static void Structs(IWorkPool pool)
        {
            var runs = new int[4 * Environment.ProcessorCount * TasksEach];
            Waiting.OnManyThreads(number =>
            {
                for (int i = 0; i < TasksEach; i++)
                {
                    int task = (number * TasksEach) + i;
                    pool.Run(
                        new Deed(() => Interlocked.Increment(ref runs[task])), s_priorities[i % s_priorities.Length]);
                }
            });
            RequireAllOnce(runs);
        }

        public static void Tasks(IWorkPool pool)
        {
            var runs = new int[4 * Environment.ProcessorCount * TasksEach];
            var tasks = new Task[runs.Length];
            Waiting.OnManyThreads(number =>
            {
                for (int i = 0; i < TasksEach; i++)
                {
                    int task = (number * TasksEach) + i;
                    tasks[task] = pool.RunAsync(
                        () => { Interlocked.Increment(ref runs[task]); }, s_priorities[i % s_priorities.Length]);
                }
            });
            Waiting.For(Task.WhenAll(tasks), "a task");
            RequireAllOnce(runs);
        }

        public static void Results(IWorkPool pool)
        {
            Task<int>[] tasks = Enumerable.Range(0, TasksEach).Select(i => pool.RunAsync(() => 3 * i)).ToArray();
            Waiting.For(Task.WhenAll(tasks), "a task");
            for (int i = 0; i < tasks.Length; i++)
            {
                Require(tasks[i].Result == 3 * i, $"task {i} returned {tasks[i].Result}");
            }
        }

        public static void Nested(IWorkPool pool)
        {
            const int Depth = 12;
            var runs = new int[(1 << Depth) - 1];
            void Visit(int node)
            {
                Interlocked.Increment(ref runs[node]);
                for (int child = (2 * node) + 1; child <= (2 * node) + 2 && child < runs.Length; child++)
                {
                    int number = child;
                    pool.Run(new Deed(() => Visit(number)));
                }
            }

            pool.Run(new Deed(() => Visit(0)));
            RequireAllOnce(runs);
        }

        public static void Visibility(IWorkPool pool)
        {
            for (int i = 0; i < TasksEach; i++)
            {
                var box = new int[2];
                box[0] = i;
                Task task = pool.RunAsync(() => box[1] = box[0] + 1);
                Waiting.For(task, "a task");
                Require(box[1] == i + 1, $"task {i} read or wrote {box[1]}");
            }
        }

        /// <summary>
        /// Pauses of many lengths, so that the task meets threads that look, yield, and are about to fall asleep.
        /// </summary>
        public static void AfterRest(IWorkPool pool)
        {
            const int Times = 300;
            for (int i = 0; i < Times; i++)
            {
                Perflab.Bench.Clock.SpinUntil(Perflab.Bench.Clock.NowNs + (i * 7_000));
                Waiting.For(pool.RunAsync(() => { }), $"the task after pause {i}");
            }
        }

        private static void RequireAllOnce(int[] runs)
        {
            Waiting.Until(
                () => runs.All(count => count > 0), () => $"{runs.Count(count => count == 0)} tasks never ran");
            // A second run would have to come now.
            Thread.Sleep(10);
            int twice = Array.FindIndex(runs, count => count != 1);
            Require(twice < 0, $"task {twice} ran {(twice < 0 ? 1 : runs[twice])} times");
        }
    }
}
