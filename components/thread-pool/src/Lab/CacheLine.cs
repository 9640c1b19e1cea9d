namespace Perflab.ThreadPools.Lab
{
    /// <summary>How far apart fields lie that different threads write.</summary>
    internal static class CacheLine
    {
        /// <summary>In bytes. Two lines of 64: the adjacent-line prefetcher of x86 fetches them in pairs, Apple's lines
        /// have 128.</summary>
        internal const int Size = 128;
    }
}
