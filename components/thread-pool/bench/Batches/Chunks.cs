using System;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>Rows divided into ranges of nearly equal length.</summary>
    internal readonly struct Chunks
    {
        private readonly int _rows;

        public Chunks(int rows, int count) => (_rows, Count) = (rows, count);

        public int Count { get; }

        public Range this[int index] => First(index)..First(index + 1);

        private int First(int index) => (int)((long)_rows * index / Count);
    }
}
