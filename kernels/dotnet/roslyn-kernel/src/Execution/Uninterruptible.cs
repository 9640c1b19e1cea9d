using System;
using System.Diagnostics;
using System.Threading;

namespace Perflab.RoslynKernel.Execution
{
    /// <summary>
    /// Keeps an interrupt from cutting something in half. The runtime aborts a thread wherever it is, in finally blocks too,
    /// so the abort itself has to wait: it takes the same lock.
    /// </summary>
    /// <remarks>
    /// <code>
    /// cell:     Run            lock gate   lock writing   action
    /// aborter:  Abort          lock gate   the runtime's abort, which returns when the cell has left its catch blocks
    /// cell:     Run            gate is taken: offers itself for the abort
    /// cell:     catch, Run     gate is taken, and the abort has been: goes on without, for nobody aborts it a second time
    /// </code>
    /// </remarks>
    internal static class Uninterruptible
    {
        // Long enough for an abort that is on its way: the runtime tries every 10 ms.
        private const int OfferMs = 300;

        private static readonly object s_gate = new object();
        private static readonly object s_writing = new object();
        private static volatile Thread? s_aborted;
        private static volatile Thread? s_immune;

        /// <summary>Runs what is either done or not done. All output goes through here, so it is in one order.</summary>
        public static void Run(Action action)
        {
            var taken = false;
            try
            {
                if (s_aborted == Thread.CurrentThread)
                {
                    // The lock is not fair: a cell that does nothing but print would not let the other thread in.
                    Thread.Sleep(1);
                    Monitor.TryEnter(s_gate, 0, ref taken);
                    if (!taken && s_immune != s_aborted)
                    {
                        Offer();
                        s_immune = s_aborted;
                    }
                }
                else
                {
                    Monitor.Enter(s_gate, ref taken);
                }
                lock (s_writing)
                {
                    action();
                }
            }
            finally
            {
                if (taken)
                {
                    Monitor.Exit(s_gate);
                }
            }
        }

        // The runtime aborts code that computes, and not a thread that waits.
        private static void Offer()
        {
            for (var clock = Stopwatch.StartNew(); clock.ElapsedMilliseconds < OfferMs;)
            {
                Thread.SpinWait(100);
            }
        }

        /// <summary>Runs what aborts a thread, while that is in no <see cref="Run"/>.</summary>
        public static void Abort(Thread thread, Action abort)
        {
            s_aborted = thread;
            try
            {
                lock (s_gate)
                {
                    abort();
                }
            }
            finally
            {
                s_aborted = null;
            }
        }
    }
}
