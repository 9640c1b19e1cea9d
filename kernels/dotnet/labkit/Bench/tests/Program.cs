using System.Reflection;
using Perflab.Testing;

namespace Perflab.Bench.Tests
{
    internal static class Program
    {
        private static int Main(string[] args) => TestProgram.Run(Assembly.GetExecutingAssembly(), args);
    }
}
