using System;
using System.Diagnostics;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <remarks>
    /// The gate is a thread that decides how many workers there are. A pool of one size has none.
    /// <code>
    ///   gate asleep      not all threads are busy, or nothing waits; MinThreads are there
    ///   gate measures    every ScalingInterval; asks HillClimb while all are busy and tasks wait
    ///   gate waits       more threads than MinThreads: those that sleep leave after IdleTimeout
    /// </code>
    /// <para><b>Nobody needs to poll.</b> Who queues a task when no worker sleeps or searches, or is a searcher that
    /// has found work and sees more (S2), calls the gate. It is the wake-up protocol once more: the gate says that it
    /// sleeps, fence, looks; the other queues, fence, looks whether it sleeps. Once awake it stays so for a while, so
    /// that calls are rare.</para>
    /// </remarks>
    public sealed partial class LabPool
    {
        /// <summary>So many samples without need for more threads send the gate to sleep.</summary>
        private const int QuietSamples = 50;

        /// <summary>A sample goes on until each thread has begun so many tasks on average, for up to so many
        /// intervals.</summary>
        private const int TasksPerThread = 4;

        private const int LongestSample = 10;

        /// <summary>The share of a sample that threads may sleep while the pool still counts as limited by their
        /// number.</summary>
        private const double MostAsleep = 0.1;

        private readonly AutoResetEvent _gateCalled = new AutoResetEvent(false);
        private Thread? _gate;
        private int _gateAsleep;

        private bool IsSaturated => _sleepers.Count == 0 && HasWork();

        private void StartGate()
        {
            if (_options.MaxThreads > _options.MinThreads)
            {
                _gate = StartBackground(Gate, "LabPool gate");
            }
        }

        private void CallGate()
        {
            if (Volatile.Read(ref _gateAsleep) != 0 && Interlocked.Exchange(ref _gateAsleep, 0) != 0)
            {
                _gateCalled.Set();
            }
        }

        private void Gate()
        {
            var climb = new HillClimb(_options.MinThreads, _options.MaxThreads, Environment.ProcessorCount);
            while (!_closing)
            {
                ForgetEmptyPlaces();
                if (ThreadCount > _options.MinThreads)
                {
                    WaitForIdleThreads();
                }
                else
                {
                    WaitForCall();
                }

                Measure(climb);
            }
        }

        private void WaitForCall()
        {
            Interlocked.Exchange(ref _gateAsleep, 1);
            if (!IsSaturated && !_closing)
            {
                _gateCalled.WaitOne();
            }

            Interlocked.Exchange(ref _gateAsleep, 0);
        }

        /// <summary>Returns early when called; else, if some threads slept all the time, they are told to
        /// leave.</summary>
        private void WaitForIdleThreads()
        {
            int idle = _sleepers.Count;
            Interlocked.Exchange(ref _gateAsleep, 1);
            if (!IsSaturated && !_closing && !_gateCalled.WaitOne(_options.IdleTimeout))
            {
                RemoveIdle(Math.Min(idle, _sleepers.Count));
            }

            Interlocked.Exchange(ref _gateAsleep, 0);
        }

        private void Measure(HillClimb climb)
        {
            int quiet = 0;
            while (quiet < QuietSamples && !_closing)
            {
                if (!IsSaturated)
                {
                    climb.Settle();
                    quiet++;
                    _gateCalled.WaitOne(_options.ScalingInterval);
                    continue;
                }

                int threads = ThreadCount;
                (double tasksPerSecond, double processors, double asleep) = Sample(threads);
                if (asleep > MostAsleep)
                {
                    climb.Settle();
                    quiet++;
                }
                else if (IsSaturated && !_closing)
                {
                    quiet = 0;
                    int wanted = climb.Next(threads, tasksPerSecond, processors);
                    if (wanted != threads)
                    {
                        TryResize(wanted);
                    }
                }
            }
        }

        private (double TasksPerSecond, double Processors, double Asleep) Sample(int threads)
        {
            long asleepNs = AsleepNs;
            long tasks = ExecutedCount;
            long begun = Stopwatch.GetTimestamp();
            double processor = ProcessorTime.Seconds;
            long enough = tasks + (TasksPerThread * threads);
            long now = tasks;
            for (int i = 0; i < LongestSample && now < enough && !_closing; i++)
            {
                _gateCalled.WaitOne(_options.ScalingInterval);
                now = ExecutedCount;
                if (now == tasks)
                {
                    break; // stuck, and a longer look would not tell more
                }
            }

            double seconds = (double)(Stopwatch.GetTimestamp() - begun) / Stopwatch.Frequency;
            double asleep = (AsleepNs - asleepNs) / (seconds * 1e9 * threads);
            return ((now - tasks) / seconds, (ProcessorTime.Seconds - processor) / seconds, asleep);
        }
    }
}
