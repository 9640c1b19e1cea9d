using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>Two of the report's "next steps": image processing and data aggregation.</summary>
    internal static class RealWork
    {
        public static IScenario<PoolDesign> ImageFilter() => new BatchScenario(
            Rated("image-filter", "Blur of an image", "a pixel", "pixels/s")
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

        public static IScenario<PoolDesign> Aggregation() => new BatchScenario(
            Rated("aggregation", "Turnover by customer", "an order", "orders/s")
                .With(
                    Parameter.OfInt("orders", 1_000_000, 1, 20_000_000, "orders in the table"),
                    Parameter.OfInt("chunks", 64, 1, 100_000, "tasks into which it is divided"),
                    CommonParameters.Path("task")),
            setting => new Aggregation(
                setting.Parameters.Int("orders"), setting.Parameters.Int("chunks"), setting.Random()));

        private static ScenarioSpec Rated(string name, string title, string operation, string unit) =>
            new ScenarioSpec(name, title, operation, new Metric("rate", "rate", unit, Better.Higher)).With(
                new Metric("p50", "p50", "ns for all", Better.Lower),
                new Metric("p99", "p99", "ns for all", Better.Lower));
    }
}
