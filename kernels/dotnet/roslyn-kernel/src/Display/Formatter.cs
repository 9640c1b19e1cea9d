using System;
using System.IO;

namespace Perflab.RoslynKernel.Display
{
    /// <summary>How a notebook wants its values shown; the names are those of .NET Interactive.</summary>
    public static class Formatter
    {
        /// <summary>
        /// From now on values of a type, and of what is derived from it or implements it, are shown like this. The nearest type
        /// decides, and among several for the same type and MIME type the last one.
        /// </summary>
        /// <example><c>Formatter.Register&lt;Cup&gt;(cup => $"&lt;b&gt;{cup.Volume} ml&lt;/b&gt;", "text/html")</c></example>
        public static void Register<T>(Func<T, string> formatter, string mimeType = Bundle.Plain) =>
            TypeFormatter.Register(typeof(T), mimeType, (value, writer) => writer.Write(formatter((T)value)));

        /// <summary>As above, and the formatter writes.</summary>
        public static void Register<T>(Action<T, TextWriter> formatter, string mimeType = Bundle.Plain) =>
            TypeFormatter.Register(typeof(T), mimeType, (value, writer) => formatter((T)value, writer));

        /// <summary>Forgets all that was registered.</summary>
        public static void ResetToDefault() => TypeFormatter.Register(null);
    }
}
