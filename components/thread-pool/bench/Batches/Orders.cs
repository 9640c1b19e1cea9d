using System;

namespace Perflab.ThreadPools.Measured
{
    /// <summary>A table of orders, a column an array, for aggregation and queries.</summary>
    internal sealed class Orders
    {
        public const int Customers = 1_000;
        public const int LargestCents = 100_000;

        /// <param name="count">how many</param>
        /// <param name="random">equal generators make equal tables</param>
        public Orders(int count, Random random)
        {
            Customer = new int[count];
            Cents = new int[count];
            for (int i = 0; i < count; i++)
            {
                Customer[i] = random.Next(Customers);
                Cents[i] = random.Next(1, LargestCents + 1);
            }
        }

        public int Count => Customer.Length;

        /// <summary>Who ordered, from 0 to below <see cref="Customers"/>.</summary>
        public int[] Customer { get; }

        /// <summary>For how much, from 1 to <see cref="LargestCents"/>.</summary>
        public int[] Cents { get; }
    }
}
