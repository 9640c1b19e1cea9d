using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading.Tasks;
using static Perflab.Bench.ContractException;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>Tasks that throw.</summary>
    internal static class FailureChecks
    {
        private const int Times = 50;

        public static void ReachesTheCaller(IWorkPool pool)
        {
            var thrown = new InvalidOperationException("on purpose");
            var cancelled = new OperationCanceledException("on purpose");
            RequireFault(pool.RunAsync(() => throw thrown), thrown);
            RequireFault(pool.RunAsync<int>(() => throw thrown), thrown);
            RequireThrown(pool.RunAsync(() => throw cancelled), cancelled);
            RequireThrown(pool.RunAsync<int>(() => throw cancelled), cancelled);
            Waiting.For(pool.RunAsync(() => { }), "a task after the failures");
        }

        public static void IsReported(IWorkPool pool)
        {
            var heard = new ConcurrentQueue<Exception>();
            pool.WorkFailed += heard.Enqueue;
            Exception[] thrown = Enumerable.Range(0, Times)
                .Select(i => (Exception)new InvalidOperationException())
                .ToArray();
            foreach (Exception exception in thrown)
            {
                pool.Run(new Deed(() => throw exception));
            }

            Waiting.Until(() => heard.Count >= Times, () => $"{heard.Count} of {Times} failures were reported");
            Require(heard.ToHashSet().SetEquals(thrown), "other exceptions were reported than thrown");
            Task[] after = Enumerable.Range(0, Times).Select(i => pool.RunAsync(() => { })).ToArray();
            Waiting.For(Task.WhenAll(after), "a task after the failures");
        }

        public static void Unheard(IWorkPool pool)
        {
            for (int i = 0; i < Times; i++)
            {
                pool.Run(new Deed(() => throw new InvalidOperationException("on purpose")));
            }

            Waiting.For(pool.RunAsync(() => { }), "a task after the failures");
        }

        public static void Null(IWorkPool pool)
        {
            RequireThrows<ArgumentNullException>(() => pool.RunAsync(null!));
            RequireThrows<ArgumentNullException>(() => pool.RunAsync<int>(null!));
        }

        public static void RequireThrows<TException>(Action code)
            where TException : Exception
        {
            try
            {
                code();
            }
            catch (TException)
            {
                return;
            }

            Require(false, $"no {typeof(TException).Name} was thrown");
        }

        /// <summary>By an await, which does not tell whether the task has faulted or was cancelled.</summary>
        private static void RequireThrown(Task task, Exception thrown)
        {
            Waiting.For(task, "a task that throws");
            try
            {
                task.GetAwaiter().GetResult();
            }
            catch (Exception awaited)
            {
                Require(awaited == thrown, "another exception came than was thrown");
                return;
            }

            Require(false, $"a task that throws ended as {task.Status}");
        }

        private static void RequireFault(Task task, Exception thrown)
        {
            Waiting.For(task, "a task that throws");
            Require(task.IsFaulted, $"a task that throws ended as {task.Status}");
            Require(task.Exception!.InnerException == thrown, "another exception came than was thrown");
        }
    }
}
