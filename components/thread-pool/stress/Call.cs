using System;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>A task that calls an action.</summary>
    internal readonly struct Call : IWork
    {
        private readonly Action _action;

        internal Call(Action action) => _action = action;

        public void Execute() => _action();
    }
}
