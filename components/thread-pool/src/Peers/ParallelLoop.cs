using System;
using System.Threading.Tasks;

namespace Perflab.ThreadPools.Peers
{
    /// <summary>
    /// <see cref="Parallel.For(int, int, Action{int})"/> on .NET's own pool: ranges of tasks in place of tasks, and the
    /// calling thread works too. For what is known beforehand as a whole.
    /// </summary>
    public sealed class ParallelLoop : IParallelPool
    {
        private readonly ParallelOptions _options = new ParallelOptions();

        /// <param name="threads">how many may work at once; null for as many as .NET's pool gives</param>
        public ParallelLoop(int? threads) => _options.MaxDegreeOfParallelism = threads ?? -1;

        /// <inheritdoc/>
        public void ForEach(int count, Action<int> body) => Parallel.For(0, count, _options, body);
    }
}
