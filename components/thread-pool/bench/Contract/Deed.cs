using System;

namespace Perflab.ThreadPools.Contract
{
    /// <summary>Any action as a struct that a pool can take.</summary>
    internal readonly struct Deed : IWork
    {
        private readonly Action _action;

        public Deed(Action action) => _action = action;

        public void Execute() => _action();
    }
}
