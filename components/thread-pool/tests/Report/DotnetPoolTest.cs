using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;
using Perflab.ThreadPools.Catga;
using Perflab.ThreadPools.Contract;

namespace Perflab.ThreadPools.Peers
{
    /// <summary>What the report says of .NET's own pool, and what is true.</summary>
    public sealed class DotnetPoolTest
    {
        [Fact]
        public void TasksOfATaskStandInADequeOfItsThread()
        {
            using var pool = new DotnetPool(threads: null);
            // Others may steal all but one of them, and then nothing is seen.
            for (int attempt = 0; attempt < 1_000; attempt++)
            {
                List<int> own = RunByTheirThread(pool, tasks: 64);
                if (own.Count > 1)
                {
                    // From one queue for all they would come in the order in which they were submitted.
                    Assert.Equal(own.OrderByDescending(number => number), own);
                    return;
                }
            }

            Assert.Fail("no thread ran two of its own tasks");
        }

        /// <summary>Which of the tasks that a task submits run on its own thread, in the order in which they do.</summary>
        private static List<int> RunByTheirThread(DotnetPool pool, int tasks)
        {
            var own = new List<int>();
            using var run = new CountdownEvent(tasks);
            Task owner = pool.RunAsync(() =>
            {
                int thread = Environment.CurrentManagedThreadId;
                for (int i = 0; i < tasks; i++)
                {
                    int number = i;
                    pool.Run(new Deed(() =>
                    {
                        if (Environment.CurrentManagedThreadId == thread)
                        {
                            own.Add(number);
                        }

                        run.Signal();
                    }));
                }
            });
            Waiting.For(owner, "the task that submits tasks");
            Assert.True(run.Wait(TimeSpan.FromSeconds(30)), $"{run.CurrentCount} of {tasks} tasks did not run");
            return own;
        }

        [Fact]
        public void ItStealsFromAThreadThatIsHeldUp()
        {
            using var pool = new DotnetPool(threads: null);
            using var gate = new ManualResetEventSlim();
            using var stolen = new CountdownEvent(5);
            Task<int> owner = pool.RunAsync(() =>
            {
                for (int i = 0; i < 5; i++)
                {
                    // Onto the deque of this thread, which does not look at it until the gate opens.
                    pool.Run(new Deed(() => stolen.Signal()));
                }

                gate.Wait();
                return Thread.CurrentThread.ManagedThreadId;
            });
            Assert.True(stolen.Wait(TimeSpan.FromSeconds(30)), $"{stolen.CurrentCount} of 5 tasks were not stolen");
            gate.Set();
            Waiting.For(owner, "the task that was held up");
        }

        [Fact]
        public void ItsWorkersRunManagedCode()
        {
            IEnumerable<string?> frames = Task.Run(() => new StackTrace()).Result.GetFrames()
                .Select(frame => frame?.GetMethod()?.DeclaringType?.FullName);
            // .NET 6 and later: the pool is written in C#, down to the loop of its threads.
            Assert.Contains("System.Threading.PortableThreadPool+WorkerThread", frames);
        }

        [Fact]
        public void ItsSizeIsDecidedByTheRuntimeAndNotByTheSystem()
        {
            Type? decides = typeof(Thread).Assembly.GetType("System.Threading.PortableThreadPool+HillClimbing");
            Assert.NotNull(decides);
            Assert.NotNull(
                decides!.GetMethod("Update", BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic));
        }

        [Fact]
        public void ItsThreadsAndThoseOfCatgasPoolAreAllThreadsOfTheSystem()
        {
            using var catga = new CatgaPool(new CatgaOptions { MinThreads = 2, EnableDynamicScaling = false });
            using var dotnet = new DotnetPool(threads: null);
            // All at once, so that none is counted twice.
            using var together = new Barrier(4);
            Task<string>[] tasks = new IWorkPool[] { catga, catga, dotnet, dotnet }
                .Select(pool => pool.RunAsync(() =>
                {
                    Assert.True(together.SignalAndWait(TimeSpan.FromSeconds(30)), "four tasks did not run at once");
                    // The kernel answers whoever asks; the first word is the thread's number.
                    return File.ReadAllText("/proc/thread-self/stat").Split(' ')[0];
                }))
                .ToArray();
            Waiting.For(Task.WhenAll(tasks), "a task that asks the system for its thread");
            Assert.Equal(4, tasks.Select(task => task.Result).Distinct().Count());
        }

        [Fact]
        public void NoWayIntoItTakesAPriority()
        {
            IEnumerable<Type> asked = new[] { typeof(ThreadPool), typeof(TaskFactory), typeof(Task) }
                .SelectMany(type => type.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance))
                .SelectMany(method => method.GetParameters())
                .Select(parameter => parameter.ParameterType);
            Assert.Empty(asked.Where(type => type.Name.Contains("Priority", StringComparison.Ordinal)));
            Assert.Empty(Enum.GetNames(typeof(TaskCreationOptions))
                .Where(name => name.Contains("Priority", StringComparison.Ordinal)));
        }
    }
}
