using System;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>The options of a pool that is asked for by settings which all variants share.</summary>
    public static class LabConfiguration
    {
        /// <summary>A fixed size if scaling is switched off.</summary>
        public static LabPoolOptions Of(PoolSettings settings)
        {
            var options = new LabPoolOptions();
            options.MinThreads = settings.Threads ?? options.MinThreads;
            options.MaxThreads =
                settings.Scaling == false ? options.MinThreads : Math.Max(options.MinThreads, options.MaxThreads);
            options.ScalingInterval = settings.ScalingInterval ?? options.ScalingInterval;
            options.SpinLimit = settings.SpinLimit ?? options.SpinLimit;
            return options;
        }
    }
}
