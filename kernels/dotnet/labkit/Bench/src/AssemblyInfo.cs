using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("BenchTests")]
