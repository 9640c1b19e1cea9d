using System;

namespace Perflab.RoslynKernel.Execution
{
    /// <summary>The first line of a cell that names its language, as .NET Interactive's notebooks have it.</summary>
    internal static class Magic
    {
        private static readonly string[] s_csharp = { "#!csharp", "#!c#", "#!C#" };

        /// <summary>Takes it away and leaves the line, so that the numbers of the others stay.</summary>
        public static string Strip(string code)
        {
            var end = code.IndexOf('\n');
            var first = (end < 0 ? code : code.Substring(0, end)).TrimEnd();
            return Array.IndexOf(s_csharp, first) < 0 ? code : end < 0 ? "" : code.Substring(end);
        }
    }
}
