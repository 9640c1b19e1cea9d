using System;
using System.Runtime.CompilerServices;
using Perflab.Bench;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>A 5 x 5 binomial blur of a grey image, a band of rows for each task. An operation is a pixel.</summary>
    internal sealed class ImageFilter : IBatch
    {
        private const int Radius = 2;

        private static readonly int[] s_weights = { 1, 4, 6, 4, 1 };

        private readonly int _width;
        private readonly int _height;
        private readonly int _rowsOfABand;
        private readonly byte[] _source;
        private readonly byte[] _target;
        private readonly byte[] _expected;

        public ImageFilter(int width, int height, int rowsOfABand, Random random)
        {
            (_width, _height, _rowsOfABand) = (width, height, rowsOfABand);
            _source = new byte[width * height];
            random.NextBytes(_source);
            _target = new byte[_source.Length];
            Blur(0, height);
            _expected = (byte[])_target.Clone();
        }

        public int Count => (_height + _rowsOfABand - 1) / _rowsOfABand;

        public WorkPriority Submitting(int index) => WorkPriority.Normal;

        public long Execute(int index)
        {
            int first = index * _rowsOfABand;
            int last = Math.Min(first + _rowsOfABand, _height);
            Blur(first, last);
            return last - first;
        }

        public void Record(long startNs, long endNs, Sample sample, Checks checks)
        {
            sample.Add(_source.Length, endNs - startNs);
            sample.Latency(endNs - startNs);
            checks.Require(
                "the image is that of one thread, pixel by pixel",
                _target.AsSpan().SequenceEqual(_expected),
                () => "it is another one");
            // So that no band of this image passes for one of the next.
            Array.Clear(_target, 0, _target.Length);
        }

        /// <summary>Rows from the first to before the last; beyond the edge the image goes on as at the edge. Compiled
        /// with all optimisations from the first call on, as the loads are.</summary>
        [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
        private void Blur(int first, int last)
        {
            Span<int> columns = stackalloc int[_width];
            for (int y = first; y < last; y++)
            {
                columns.Clear();
                for (int dy = -Radius; dy <= Radius; dy++)
                {
                    int weight = s_weights[dy + Radius];
                    ReadOnlySpan<byte> row = _source.AsSpan(Math.Clamp(y + dy, 0, _height - 1) * _width, _width);
                    for (int x = 0; x < _width; x++)
                    {
                        columns[x] += weight * row[x];
                    }
                }

                BlurRow(columns, _target.AsSpan(y * _width, _width));
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
        private static void BlurRow(ReadOnlySpan<int> columns, Span<byte> row)
        {
            const int SumOfWeights = 16;
            for (int x = 0; x < row.Length; x++)
            {
                int sum = 0;
                for (int dx = -Radius; dx <= Radius; dx++)
                {
                    sum += s_weights[dx + Radius] * columns[Math.Clamp(x + dx, 0, columns.Length - 1)];
                }

                row[x] = (byte)(sum / (SumOfWeights * SumOfWeights));
            }
        }
    }
}
