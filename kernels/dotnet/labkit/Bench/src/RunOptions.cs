using System;
using System.Globalization;

namespace Perflab.Bench
{
    /// <summary>How long to measure, as the command line says.</summary>
    internal sealed class RunOptions
    {
        public RunOptions(CommandLine line)
        {
            WarmupMs = AtLeast(line, "--warmup-ms", 1_000, 0);
            SampleMs = AtLeast(line, "--sample-ms", 1_000, 1);
            Samples = (int)AtLeast(line, "--samples", 5, 1);
            Seed = Whole(line, "--seed", 1);
        }

        /// <summary>How long to run before the first sample, in milliseconds.</summary>
        public long WarmupMs { get; }

        /// <summary>The intended length of a sample, in milliseconds.</summary>
        public long SampleMs { get; }

        /// <summary>How many samples.</summary>
        public int Samples { get; }

        /// <summary>Makes whatever is random repeatable.</summary>
        public long Seed { get; }

        private static long AtLeast(CommandLine line, string option, long otherwise, long least)
        {
            long value = Whole(line, option, otherwise);
            return value >= least && value <= int.MaxValue
                ? value
                : throw new UsageException($"{option} cannot be {value}", $"a whole number of at least {least}");
        }

        private static long Whole(CommandLine line, string option, long otherwise)
        {
            string? text = line.Value(option);
            if (text == null)
            {
                return otherwise;
            }

            return long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long value)
                ? value
                : throw new UsageException($"{option} cannot be '{text}'", $"{option} with a whole number");
        }
    }
}
