using System;
using System.Collections.Generic;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>Threads that begin together; what one of them throws is thrown by Join.</summary>
    internal sealed class Crowd
    {
        private readonly List<Thread> _threads = new List<Thread>();
        private readonly ManualResetEventSlim _start = new ManualResetEventSlim();
        private Exception? _thrown;

        internal Crowd Add(int count, Action<int> body)
        {
            for (int i = 0; i < count; i++)
            {
                int number = i;
                _threads.Add(new Thread(() => Run(() => body(number))) { IsBackground = true });
            }

            return this;
        }

        internal void Run()
        {
            _threads.ForEach(thread => thread.Start());
            _start.Set();
            _threads.ForEach(thread => thread.Join());
            if (_thrown != null)
            {
                throw new AggregateException(_thrown);
            }
        }

        private void Run(Action body)
        {
            _start.Wait();
            try
            {
                body();
            }
            catch (Exception thrown)
            {
                _thrown ??= thrown;
            }
        }
    }
}
