using System.Reflection;
using Perflab.Testing;

namespace Perflab.Testing.Tests
{
    internal static class Program
    {
        private static int Main(string[] args) => TestProgram.Run(Assembly.GetExecutingAssembly(), args);
    }
}
