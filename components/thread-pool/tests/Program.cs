using System.Reflection;
using Perflab.Testing;

namespace Perflab.ThreadPools
{
    internal static class Program
    {
        private static int Main(string[] args) => TestProgram.Run(Assembly.GetExecutingAssembly(), args);
    }
}
