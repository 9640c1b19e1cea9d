using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("ThreadPoolTests")]
