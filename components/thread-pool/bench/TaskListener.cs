using System;
using System.Diagnostics.Tracing;
using System.Linq.Expressions;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>
    /// Listens to the events and the activities of pools, whose sources begin with <c>Perflab</c>, and throws away what
    /// it hears: the least that observing can cost.
    /// </summary>
    internal sealed class TaskListener : EventListener
    {
        private const string Prefix = "Perflab";
        private const string Assembly = ", System.Diagnostics.DiagnosticSource";

        private readonly IDisposable? _activities = ListenToActivities();

        public override void Dispose()
        {
            _activities?.Dispose();
            base.Dispose();
        }

        protected override void OnEventSourceCreated(EventSource source)
        {
            if (source.Name.StartsWith(Prefix, StringComparison.Ordinal))
            {
                EnableEvents(source, EventLevel.Verbose);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs written)
        {
        }

        /// <summary>
        /// An ActivityListener that has all activities of the lab's sources created. Made by reflection, because the
        /// type is younger than the framework that the lab may have to build for; null where the runtime lacks it too.
        /// </summary>
        private static IDisposable? ListenToActivities()
        {
            Type? type = Type.GetType("System.Diagnostics.ActivityListener" + Assembly);
            if (type == null)
            {
                return null;
            }

            Type source = Type.GetType("System.Diagnostics.ActivitySource" + Assembly, true)!;
            Type result = Type.GetType("System.Diagnostics.ActivitySamplingResult" + Assembly, true)!;
            object listener = Activator.CreateInstance(type)!;
            ParameterExpression anySource = Expression.Parameter(source);
            Func<string, bool> isOurs = name => name.StartsWith(Prefix, StringComparison.Ordinal);
            SetDelegate(listener, "ShouldListenTo", anySource, Expression.Invoke(
                Expression.Constant(isOurs), Expression.Property(anySource, "Name")));
            Type sample = type.GetProperty("Sample")!.PropertyType;
            Type options = sample.GetMethod("Invoke")!.GetParameters()[0].ParameterType;
            SetDelegate(listener, "Sample", Expression.Parameter(options), Expression.Constant(
                Enum.Parse(result, "AllDataAndRecorded"), result));
            source.GetMethod("AddActivityListener")!.Invoke(null, new[] { listener });
            return (IDisposable)listener;
        }

        private static void SetDelegate(object listener, string property, ParameterExpression argument, Expression body)
        {
            var info = listener.GetType().GetProperty(property)!;
            info.SetValue(listener, Expression.Lambda(info.PropertyType, body, argument).Compile());
        }
    }
}
