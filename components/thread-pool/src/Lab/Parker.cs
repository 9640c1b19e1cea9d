using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// Where one thread sleeps until another wakes it. A wake-up that comes first is kept, one and no more, and the
    /// sleep is over at once.
    /// </summary>
    internal abstract class Parker
    {
        /// <summary>The futex where there is one: it wakes in about a third of a monitor's time.</summary>
        internal static Parker Create()
        {
            Parker? parker = null;
            Points.Make(ref parker);
            return parker ?? (FutexParker.IsSupported ? new FutexParker() : (Parker)new MonitorParker());
        }

        /// <summary>Sleeps until woken. For the one thread that this parker belongs to.</summary>
        internal abstract void Park();

        /// <summary>Wakes that thread, or lets its next Park return at once. What was written before it is visible
        /// after that Park.</summary>
        internal abstract void Unpark();

        /// <summary>Sleeps on a monitor; for systems without a futex.</summary>
        internal sealed class MonitorParker : Parker
        {
            private readonly object _monitor = new object();
            private bool _woken;

            internal override void Park()
            {
                lock (_monitor)
                {
                    while (!_woken)
                    {
                        Monitor.Wait(_monitor);
                    }

                    _woken = false;
                }
            }

            internal override void Unpark()
            {
                lock (_monitor)
                {
                    _woken = true;
                    Monitor.Pulse(_monitor);
                }
            }
        }
    }
}
