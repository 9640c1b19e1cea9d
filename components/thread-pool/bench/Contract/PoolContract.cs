using System;
using System.Collections.Generic;
using System.Linq;
using Perflab.Bench;
using Perflab.ThreadPools.Measured;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>The contract of <see cref="IWorkPool"/>, statement by statement.</summary>
    public static class PoolContract
    {
        /// <summary>
        /// The statement that pools break which look into a thread's own queue first and always: Catga's, and .NET's.
        /// </summary>
        public const string OutsideBehindInside =
            "a task from outside runs although the pool's own tasks keep submitting";

        /// <summary>What has not come by then is lost.</summary>
        internal static readonly TimeSpan LostAfter = TimeSpan.FromSeconds(10);

        public static IEnumerable<Check<PoolDesign>> Checks() => new[]
        {
            Of("every task runs once, submitted by more threads than processors", ExecutionChecks.Structs),
            Of("every awaited task runs once, submitted by more threads than processors", ExecutionChecks.Tasks),
            Of("a result reaches its caller", ExecutionChecks.Results),
            Of("tasks that tasks submit run, too", ExecutionChecks.Nested),
            Of("what a task wrote is seen by whoever awaited it", ExecutionChecks.Visibility),
            Of("a task that comes to an idle pool runs, each of many times", ExecutionChecks.AfterRest),
            Of("a task of low priority runs although urgent ones keep coming", FairnessChecks.LowBehindHigh),
            Of(OutsideBehindInside, FairnessChecks.OutsideBehindInside),
            Of("an exception reaches the caller", FailureChecks.ReachesTheCaller),
            Of("an exception of a forgotten task is reported, and its thread goes on", FailureChecks.IsReported),
            Of("nobody has to listen to a failure", FailureChecks.Unheard),
            Of("null is refused", FailureChecks.Null),
            Of("nothing is accepted once a shutdown has begun", ShutdownChecks.RefusesAfterwards),
            Of("a task is accepted and runs, or is refused, when a shutdown comes between", ShutdownChecks.Race),
            OfOwners("a shutdown that drains executes all that was accepted", ShutdownChecks.Drains),
            OfOwners("a shutdown that cancels ends tasks that wait as cancelled", ShutdownChecks.Cancels),
            OfOwners("draining can be turned into cancelling", ShutdownChecks.DrainsThenCancels),
            OfOwners("a task that does not end holds a shutdown no longer than its timeout", ShutdownChecks.TimesOut),
            OfOwners("the pool's threads end with it, and ending twice does no harm", ShutdownChecks.ThreadsEnd),
            new Check<PoolDesign>(
                "a value task's result or exception reaches its caller", ValueTaskChecks.Results, HasValueTasks),
            new Check<PoolDesign>(
                "a loop calls its body once with each number", LoopChecks.Numbers, design => design.IsLoop),
            new Check<PoolDesign>(
                "a loop's exception reaches its caller", LoopChecks.Exceptions, design => design.IsLoop),
        };

        /// <summary>The statements that are about a variant.</summary>
        public static IEnumerable<Check<PoolDesign>> ChecksOf(PoolDesign design) =>
            Checks().Where(check => check.AppliesTo(design));

        private static bool HasValueTasks(PoolDesign design) => design.Await != PoolDesign.Awaiting.ByPath;

        private static Check<PoolDesign> Of(string name, Action<IWorkPool> body) =>
            new Check<PoolDesign>(name, design => Run(design, body), design => !design.IsLoop);

        private static Check<PoolDesign> OfOwners(string name, Action<IWorkPool> body) =>
            new Check<PoolDesign>(name, design => Run(design, body), design => design.OwnsThreads);

        private static void Run(PoolDesign design, Action<IWorkPool> body)
        {
            // Of fixed size, so that a check can occupy every thread; 2 is enough for what can go wrong between
            // threads.
            using IWorkPool pool = design.CreatePool(new PoolSettings { Threads = 2, Scaling = false });
            body(pool);
        }
    }
}
