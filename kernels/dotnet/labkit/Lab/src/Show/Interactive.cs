using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Perflab.Lab.Show
{
    /// <summary>.NET Interactive, whose types are found by their names, so that the labkit needs none of its assemblies.</summary>
    internal sealed class Interactive : Screen
    {
        private const string Library = "Microsoft.DotNet.Interactive";

        private readonly object _context;
        private readonly MethodInfo _display;

        private Interactive(object context, MethodInfo display)
        {
            _context = context;
            _display = display;
        }

        /// <summary>The notebook's cells, in the order in which they were run; none elsewhere, or in the first cell.</summary>
        /// <remarks>
        /// The kernel that handles the cell, which is C#'s, keeps the state of the last script, and each script the one before it.
        /// </remarks>
        public static IReadOnlyList<string> Cells
        {
            get
            {
                var cells = new List<string>();
                var script = Property(Property(Property(Context, "HandlingKernel"), "ScriptState"), "Script");
                for (; script != null; script = Property(script, "Previous"))
                {
                    cells.Add(Property(script, "Code") as string ?? "");
                }
                cells.Reverse();
                return cells;
            }
        }

        // Of the cell that runs: null elsewhere.
        private static object? Context => Type.GetType($"{Library}.KernelInvocationContext, {Library}")
            ?.GetProperty("Current")?.GetValue(null);

        public static Screen? Find()
        {
            var context = Context;
            var display = Type.GetType($"{Library}.KernelInvocationContextExtensions, {Library}")
                ?.GetMethods()
                .FirstOrDefault(one => one.Name == "Display" && one.GetParameters().Length == 3);
            return context is null || display is null ? null : new Interactive(context, display);
        }

        public override Action<Bundle> Show(Bundle bundle)
        {
            var shown = _display.Invoke(null, new[] { _context, bundle, bundle.MimeTypes });
            var update = shown?.GetType().GetMethod("Update");
            return next => update?.Invoke(shown, new object[] { next });
        }

        private static object? Property(object? instance, string name) =>
            instance?.GetType().GetProperty(name)?.GetValue(instance);
    }
}
