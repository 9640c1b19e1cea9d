namespace Perflab.RoslynKernel.Display
{
    /// <summary>Text that is already in the form of a MIME type.</summary>
    public sealed class Raw
    {
        internal Raw(string mime, string text, string plain)
        {
            Mime = mime;
            Text = text;
            Plain = plain;
        }

        internal string Mime { get; }

        internal string Text { get; }

        internal string Plain { get; }

        /// <inheritdoc/>
        public override string ToString() => Plain;
    }
}
