using System;
using System.Linq;
using System.Reflection;

namespace Perflab.Lab.Show
{
    /// <summary>Where a cell shows things: shows a bundle, and returns what replaces it by another one.</summary>
    internal abstract class Screen
    {
        /// <summary>That of the kernel which this is.</summary>
        public static Screen Present =>
            AppDomain.CurrentDomain.GetData("perflab.display") is Func<object, string[], Action<object>> display
                ? new OwnKernel(display)
                : Interactive.Find() ?? (Screen)new Terminal();

        public abstract Action<Bundle> Show(Bundle bundle);

        /// <summary>The lab's own kernel.</summary>
        private sealed class OwnKernel : Screen
        {
            private readonly Func<object, string[], Action<object>> _display;

            public OwnKernel(Func<object, string[], Action<object>> display) => _display = display;

            public override Action<Bundle> Show(Bundle bundle) => _display(bundle, Array.Empty<string>()).Invoke;
        }

        /// <summary>.NET Interactive, whose types are found by their names.</summary>
        private sealed class Interactive : Screen
        {
            private readonly object _context;
            private readonly MethodInfo _display;

            private Interactive(object context, MethodInfo display)
            {
                _context = context;
                _display = display;
            }

            public static Screen? Find()
            {
                const string assembly = "Microsoft.DotNet.Interactive";
                var context = Type.GetType($"{assembly}.KernelInvocationContext, {assembly}")
                    ?.GetProperty("Current")?.GetValue(null);
                var display = Type.GetType($"{assembly}.KernelInvocationContextExtensions, {assembly}")
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
        }

        /// <summary>No kernel at all.</summary>
        private sealed class Terminal : Screen
        {
            public override Action<Bundle> Show(Bundle bundle)
            {
                Console.WriteLine(bundle);
                return next => Console.WriteLine(next);
            }
        }
    }
}
