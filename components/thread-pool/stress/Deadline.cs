using System;
using System.Diagnostics;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>When a test gives up waiting for what should have happened long ago. Never a measurement.</summary>
    internal sealed class Deadline
    {
        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private readonly TimeSpan _patience;
        private int _looks;

        internal Deadline(TimeSpan patience) => _patience = patience;

        /// <summary>To be asked often: it looks at the clock now and then.</summary>
        internal bool IsOver => Interlocked.Increment(ref _looks) % 1024 == 0 && _clock.Elapsed > _patience;

        internal static bool Comes(Func<bool> condition, int seconds = 30)
        {
            var deadline = new Deadline(TimeSpan.FromSeconds(seconds));
            while (!condition())
            {
                if (deadline._clock.Elapsed > deadline._patience)
                {
                    return false;
                }

                Thread.Sleep(1);
            }

            return true;
        }
    }
}
