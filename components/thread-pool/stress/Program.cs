using System.Reflection;
using Perflab.Testing;

namespace Perflab.ThreadPools.Lab
{
    internal static class Program
    {
        private static int Main(string[] args) => TestProgram.Run(Assembly.GetExecutingAssembly(), args);
    }
}
