using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// Runs the threads of one pool and its callers one at a time, and decides at each point of the protocols who goes
    /// on: the same seed, the same schedule. What this finds are wrong interleavings; that the fences make
    /// interleavings all there is, is argued in LabPool.
    /// </summary>
    /// <remarks>
    /// A worker is known from the first time it parks, a caller from the start. Control begins when all workers are
    /// parked, and ends when nobody can go on: the callers are done and the workers asleep, for good or not.
    /// </remarks>
    internal sealed class Schedule
    {
        [ThreadStatic]
        private static Actor? t_actor;

        private readonly object _lock = new object();
        private readonly List<Actor> _actors = new List<Actor>();
        private readonly Random _random;
        private Actor? _running;
        private int _parked;
        private bool _controlled;

        private Schedule(int seed) => _random = new Random(seed);

        /// <summary>The one that is being played, if any; tests run one after the other.</summary>
        internal static Schedule? Current { get; private set; }

        /// <summary>The step that a control leaves out.</summary>
        internal static Point? LeftOut { get; set; }

        /// <summary>Plays one schedule.</summary>
        /// <returns>How many tasks were left when nobody could go on.</returns>
        internal static long Play(int seed, LabPoolOptions options, params Action<LabPool>[] callers)
        {
            var schedule = new Schedule(seed);
            Current = schedule;
            try
            {
                var pool = new LabPool(options);
                schedule.AwaitParked(options.MinThreads);
                schedule.Control(callers.Select(caller => (Action)(() => caller(pool))).ToArray());
                long left = pool.QueuedCount;
                pool.Shutdown(ShutdownMode.Cancel, Timeout.InfiniteTimeSpan);
                return left;
            }
            finally
            {
                Current = null;
            }
        }

        internal Parker NewParker() => new ScheduledParker(this);

        internal void Reached(Point point)
        {
            lock (_lock)
            {
                if (_controlled && t_actor != null)
                {
                    GoOn();
                    AwaitTurn(t_actor);
                }
            }
        }

        private void AwaitParked(int workers)
        {
            lock (_lock)
            {
                while (_parked < workers)
                {
                    Monitor.Wait(_lock);
                }
            }
        }

        private void Control(Action[] callers)
        {
            Thread[] threads = callers
                .Select(caller => new Thread(() => Call(caller)) { IsBackground = true })
                .ToArray();
            foreach (Thread thread in threads)
            {
                lock (_lock)
                {
                    int known = _actors.Count;
                    thread.Start();
                    while (_actors.Count == known)
                    {
                        Monitor.Wait(_lock); // one after the other, so that the seed meets the same order
                    }
                }
            }

            lock (_lock)
            {
                _controlled = true;
                GoOn();
                while (_controlled)
                {
                    Monitor.Wait(_lock);
                }
            }

            foreach (Thread thread in threads)
            {
                thread.Join();
            }
        }

        private void Call(Action caller)
        {
            lock (_lock)
            {
                Actor actor = Introduce(canRun: true);
                while (_running != actor)
                {
                    Monitor.Wait(_lock);
                }
            }

            caller();
            lock (_lock)
            {
                t_actor!.CanRun = false;
                GoOn();
            }
        }

        private Actor Introduce(bool canRun)
        {
            var actor = new Actor { CanRun = canRun };
            t_actor = actor;
            _actors.Add(actor);
            Monitor.PulseAll(_lock);
            return actor;
        }

        private void GoOn()
        {
            List<Actor> able = _actors.Where(actor => actor.CanRun).ToList();
            _controlled &= able.Count > 0;
            _running = able.Count > 0 ? able[_random.Next(able.Count)] : null;
            Monitor.PulseAll(_lock);
        }

        private void AwaitTurn(Actor actor)
        {
            while (_controlled && _running != actor)
            {
                Monitor.Wait(_lock);
            }
        }

        private sealed class Actor
        {
            internal bool CanRun;
        }

        private sealed class ScheduledParker : Parker
        {
            private readonly Schedule _schedule;
            private Actor? _sleeper;
            private bool _woken;

            internal ScheduledParker(Schedule schedule) => _schedule = schedule;

            internal override void Park()
            {
                lock (_schedule._lock)
                {
                    _sleeper = t_actor ?? _schedule.Introduce(canRun: false);
                    _schedule._parked++;
                    Monitor.PulseAll(_schedule._lock);
                    _sleeper.CanRun = _woken;
                    if (_schedule._controlled)
                    {
                        _schedule.GoOn();
                    }

                    while (!_woken)
                    {
                        Monitor.Wait(_schedule._lock);
                    }

                    _schedule.AwaitTurn(_sleeper);
                    _woken = false;
                }
            }

            internal override void Unpark()
            {
                lock (_schedule._lock)
                {
                    _woken = true;
                    if (_sleeper != null)
                    {
                        _sleeper.CanRun = true;
                    }

                    Monitor.PulseAll(_schedule._lock);
                }
            }
        }
    }
}
