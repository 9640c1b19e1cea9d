// What the labkit uses of .NET Interactive, by the names and with the behaviour that its public sources show. It is a stand-in: that
// .NET Interactive itself does the same, no test here says.
using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Microsoft.DotNet.Interactive
{
    public sealed class KernelInvocationContext
    {
        public static KernelInvocationContext? Current { get; set; }

        public object? HandlingKernel { get; set; }

        /// <summary>What a frontend would have got, by MIME type, update by update.</summary>
        public List<(string Id, Dictionary<string, string> Data)> Published { get; } = new List<(string, Dictionary<string, string>)>();
    }

    public sealed class CSharpKernel
    {
        public ScriptState? ScriptState { get; set; }
    }

    public sealed class ScriptState
    {
        public ScriptState(Script script) => Script = script;

        public Script Script { get; }
    }

    public sealed class Script
    {
        public Script(string code, Script? previous) => (Code, Previous) = (code, previous);

        public string Code { get; }

        public Script? Previous { get; }
    }

    public static class KernelInvocationContextExtensions
    {
        public static DisplayedValue Display(this KernelInvocationContext context, object value, params string[] mimeTypes)
        {
            var shown = new DisplayedValue(context, mimeTypes);
            shown.Update(value);
            return shown;
        }

        internal static void Display(this KernelInvocationContext context, DisplayedValue value)
        {
        }
    }

    public sealed class DisplayedValue
    {
        private readonly KernelInvocationContext _context;
        private readonly string[] _mimeTypes;
        private readonly string _id = Guid.NewGuid().ToString();

        internal DisplayedValue(KernelInvocationContext context, string[] mimeTypes) =>
            (_context, _mimeTypes) = (context, mimeTypes);

        public void Update(object value) =>
            _context.Published.Add((_id, Formatting.Of(value, _mimeTypes)));
    }

    /// <summary>By the convention: an attribute of this name, and public members of these names.</summary>
    public static class Formatting
    {
        public static Dictionary<string, string> Of(object value, params string[] mimeTypes)
        {
            var attribute = value.GetType().GetCustomAttributes(true).Single(one => one.GetType().Name == "TypeFormatterSourceAttribute");
            var source = Activator.CreateInstance((Type)Property(attribute, "FormatterSourceType"))!;
            var formatters = ((IEnumerable)source.GetType().GetMethod("CreateTypeFormatters")!.Invoke(source, null)!).Cast<object>()
                .ToDictionary(one => (string)Property(one, "MimeType"));
            var wanted = mimeTypes.Length > 0 ? mimeTypes : (string[])Property(attribute, "PreferredMimeTypes");
            return wanted.ToDictionary(mime => mime, mime =>
            {
                var text = new StringWriter();
                formatters[mime].GetType().GetMethod("Format")!.Invoke(formatters[mime], new[] { value, text });
                return text.ToString();
            });
        }

        private static object Property(object instance, string name) => instance.GetType().GetProperty(name)!.GetValue(instance)!;
    }
}
