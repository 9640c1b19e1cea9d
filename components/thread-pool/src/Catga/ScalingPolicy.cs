using System;

namespace Perflab.ThreadPools.Catga
{
    /// <summary>When upstream's pool grows and shrinks. One thread asks, at every check.</summary>
    internal sealed class ScalingPolicy
    {
        private const int ChecksThatMakeATrend = 3;

        private readonly CatgaOptions _options;
        private TimeSpan _lastChange;
        private int _busyChecks;
        private int _idleChecks;

        public ScalingPolicy(CatgaOptions options) => _options = options;

        /// <summary>One check.</summary>
        /// <param name="waiting">tasks that wait in all queues</param>
        /// <param name="threads">threads of the pool, above zero</param>
        /// <param name="idle">how many of them found nothing at their last look</param>
        /// <param name="now">time since the pool's start</param>
        /// <returns>how many threads to add; below zero, to remove</returns>
        public int Change(int waiting, int threads, int idle, TimeSpan now)
        {
            int change = Growth((double)waiting / threads, _options.MaxThreads - threads);
            if (change == 0)
            {
                change = Shrinkage((double)idle / threads, threads, now);
            }

            if (change != 0)
            {
                _lastChange = now;
            }

            return change;
        }

        private int Growth(double waitingPerThread, int room)
        {
            if (waitingPerThread > _options.AggressiveScaleUpThreshold)
            {
                return Math.Min(_options.MaxThreadsPerScaleUp, room);
            }

            if (waitingPerThread > _options.NormalScaleUpThreshold)
            {
                return Math.Min(++_busyChecks >= ChecksThatMakeATrend ? 2 : 1, room);
            }

            _busyChecks = 0;
            return 0;
        }

        private int Shrinkage(double idleRatio, int threads, TimeSpan now)
        {
            _idleChecks = idleRatio > _options.ScaleDownThreshold ? _idleChecks + 1 : 0;
            bool mayShrink = threads > _options.MinThreads
                && _idleChecks >= ChecksThatMakeATrend
                && now - _lastChange >= _options.ScaleDownCooldown;
            if (!mayShrink)
            {
                return 0;
            }

            _idleChecks = 0;
            return -1;
        }
    }
}
