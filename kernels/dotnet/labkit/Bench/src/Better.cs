namespace Perflab.Bench
{
    /// <summary>Which direction of a metric is an improvement.</summary>
    public enum Better
    {
        Higher,
        Lower,
    }
}
