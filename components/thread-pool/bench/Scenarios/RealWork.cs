using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>The report's "next steps": image processing, data aggregation, parallel queries.</summary>
    internal static class RealWork
    {
        private const int MostRows = 20_000_000;

        public static IScenario<PoolDesign> ImageFilter() => new BatchScenario(
            Rated("image-filter", "Blur of an image", "a pixel", "pixels/s")
                .With(
                    Parameter.OfInt("width", 1_024, 1, 4_096, "pixels of a row"),
                    Parameter.OfInt("height", 768, 1, 16_384, "rows"),
                    Parameter.OfInt("band-rows", 8, 1, 16_384, "rows that a task filters"),
                    Knobs.Path("task")),
            setting => new ImageFilter(
                setting.Parameters.Int("width"),
                setting.Parameters.Int("height"),
                setting.Parameters.Int("band-rows"),
                setting.Random()));

        public static IScenario<PoolDesign> Aggregation() => new BatchScenario(
            Rated("aggregation", "Turnover by customer", "an order", "orders/s").With(OfOrders(1_000_000)),
            setting => new Aggregation(
                new Orders(setting.Parameters.Int("orders"), setting.Random()), setting.Parameters.Int("chunks")));

        public static IScenario<PoolDesign> ParallelQuery() => new BatchScenario(
            Rated("parallel-query", "Dearest orders of some customers", "an order", "orders/s").With(OfOrders(100_000)),
            setting => new TopQuery(
                new Orders(setting.Parameters.Int("orders"), setting.Random()), setting.Parameters.Int("chunks")));

        private static ScenarioSpec Rated(string name, string title, string operation, string unit) =>
            new ScenarioSpec(name, title, operation, new Metric("rate", "rate", unit, Better.Higher)).With(
                new Metric("p50", "p50", "ns for all", Better.Lower),
                new Metric("p99", "p99", "ns for all", Better.Lower));

        private static Parameter[] OfOrders(int orders) => new[]
        {
            Parameter.OfInt("orders", orders, 1, MostRows, "orders in the table"),
            Parameter.OfInt("chunks", 64, 1, 100_000, "tasks into which it is divided"),
            Knobs.Path("task"),
        };
    }
}
