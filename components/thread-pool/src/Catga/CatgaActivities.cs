using System;
using System.Linq.Expressions;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>
    /// The activity around each task, from the source <c>Perflab.Catga</c>; null while nobody listens.
    /// </summary>
    /// <remarks>
    /// <c>ActivitySource</c> is younger than the framework that the lab may have to build for, so it is looked up where
    /// the program runs, and the call compiled there once: what remains per task is a delegate in front of it.
    /// </remarks>
    internal static class CatgaActivities
    {
        public const string SourceName = "Perflab.Catga";

        private static readonly Func<string, IDisposable?> s_start = Compile();

        public static IDisposable? Start(WorkPriority priority)
        {
            IDisposable? activity = s_start("ThreadPool.Task");
            if (activity is System.Diagnostics.Activity listenedTo)
            {
                listenedTo.AddTag("priority", priority.ToString());
            }

            return activity;
        }

        private static Func<string, IDisposable?> Compile()
        {
            Type? type = Type.GetType("System.Diagnostics.ActivitySource, System.Diagnostics.DiagnosticSource");
            if (type == null)
            {
                return name => null;
            }

            Type kind = Type.GetType("System.Diagnostics.ActivityKind, System.Diagnostics.DiagnosticSource", true)!;
            object source = Activator.CreateInstance(type, SourceName, "1.0")!;
            ParameterExpression nameArgument = Expression.Parameter(typeof(string));
            Expression call = Expression.Call(
                Expression.Constant(source),
                type.GetMethod("StartActivity", new[] { typeof(string), kind })!,
                nameArgument,
                Expression.Constant(Enum.ToObject(kind, 0), kind));
            return Expression.Lambda<Func<string, IDisposable?>>(call, nameArgument).Compile();
        }
    }
}
