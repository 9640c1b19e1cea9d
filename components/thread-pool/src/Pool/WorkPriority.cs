namespace Perflab.ThreadPools
{
    /// <summary>How urgent a task is. Which pools heed it, and how, their own comments say.</summary>
    public enum WorkPriority
    {
        Low,
        Normal,
        High,
    }
}
