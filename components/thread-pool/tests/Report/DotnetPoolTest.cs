using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;
using Perflab.Testing;
using Perflab.ThreadPools.Contract;

namespace Perflab.ThreadPools.Peers
{
    /// <summary>What the report says of .NET's own pool, and what is true.</summary>
    public sealed class DotnetPoolTest
    {
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
