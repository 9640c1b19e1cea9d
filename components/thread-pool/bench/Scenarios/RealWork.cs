using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>One of the report's "next steps": image processing.</summary>
    internal static class RealWork
    {
        public static IScenario<PoolDesign> ImageFilter() => new BatchScenario(
            new ScenarioSpec(
                    "image-filter", "Blur of an image", "a pixel", new Metric("rate", "rate", "pixels/s", Better.Higher))
                .With(
                    new Metric("p50", "p50", "ns for all", Better.Lower),
                    new Metric("p99", "p99", "ns for all", Better.Lower))
                .With(
                    Parameter.OfInt("width", 1_024, 1, 4_096, "pixels of a row"),
                    Parameter.OfInt("height", 768, 1, 16_384, "rows"),
                    Parameter.OfInt("band-rows", 8, 1, 16_384, "rows that a task filters"),
                    CommonParameters.Path("task")),
            setting => new ImageFilter(
                setting.Parameters.Int("width"),
                setting.Parameters.Int("height"),
                setting.Parameters.Int("band-rows"),
                setting.Random()));
    }
}
