using System;

namespace Perflab.RoslynKernel.Display
{
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
}
