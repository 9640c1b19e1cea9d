using System.Runtime.CompilerServices;
using Perflab.RoslynKernel.Scripting;
using Perflab.RoslynKernel.Wire;

namespace Perflab.RoslynKernel
{
    /// <summary>The C# half of the kernel: reads requests from one pipe and writes what comes of them to another.</summary>
    internal static class Program
    {
        /// <param name="arguments">The file descriptors of both pipes, and the folder of the compiler's assemblies.</param>
        private static int Main(string[] arguments)
        {
            AssemblyFinder.Install(arguments[2]);
            return Serve(arguments[0], arguments[1]);
        }

        // Not inlined: the types in it need the compiler's assemblies, which are not beside this program.
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Serve(string requests, string replies)
        {
            using var pipe = new Pipe(requests, replies);
            new Host(pipe).Run();
            return 0;
        }
    }
}
