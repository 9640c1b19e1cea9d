using System;
using System.Diagnostics.CodeAnalysis;

namespace Perflab.RoslynKernel.Display
{
    /// <summary>What cells can call without naming a class; the names are those of .NET Interactive's C# kernel.</summary>
    [SuppressMessage("Style", "IDE1006", Justification = "lower case, as notebooks of .NET Interactive have it")]
    public class Cells
    {
        /// <summary>Shows a value now, in all the forms that it has or in those of the MIME types given.</summary>
        public Displayed display(object? value, params string[] mimeTypes) => new Displayed(value, mimeTypes);

        /// <summary>Text that is HTML.</summary>
        public Raw HTML(string html) => new Raw("text/html", html, html);
    }

    /// <summary>The same as methods of every value.</summary>
    public static class DisplayExtensions
    {
        /// <summary>Shows a value now, in all the forms that it has or in those of the MIME types given.</summary>
        public static Displayed Display(this object? value, params string[] mimeTypes) => new Displayed(value, mimeTypes);

        /// <summary>Shows text that is already in the form of a MIME type.</summary>
        public static Displayed DisplayAs(this string text, string mimeType) =>
            new Displayed(new Raw(mimeType, text, text), new string[0]);
    }

    /// <summary>Something that stands below a cell, and can be replaced there.</summary>
    public sealed class Displayed
    {
        private readonly string[] _mimeTypes;

        internal Displayed(object? value, string[] mimeTypes)
        {
            Id = Guid.NewGuid().ToString("N");
            _mimeTypes = mimeTypes;
            Output?.Show(Id, value, mimeTypes);
        }

        internal static Output? Output { get; set; }

        private string Id { get; }

        /// <summary>Shows another value in its place, from the same cell or a later one.</summary>
        public void Update(object? value) => Output?.Update(Id, value, _mimeTypes);
    }

    /// <summary>Text that is already in the form of a MIME type.</summary>
    public sealed class Raw
    {
        internal Raw(string mime, string text, string plain) => (Mime, Text, Plain) = (mime, text, plain);

        internal string Mime { get; }

        internal string Text { get; }

        internal string Plain { get; }

        /// <inheritdoc/>
        public override string ToString() => Plain;
    }
}
