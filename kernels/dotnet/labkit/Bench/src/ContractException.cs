using System;

namespace Perflab.Bench
{
    /// <summary>A statement of a contract does not hold; the message is the evidence.</summary>
    public sealed class ContractException : Exception
    {
        public ContractException(string evidence)
            : base(evidence)
        {
        }

        /// <summary>Demands that something holds.</summary>
        /// <exception cref="ContractException">It does not.</exception>
        public static void Require(bool holds, string evidence)
        {
            if (!holds)
            {
                throw new ContractException(evidence);
            }
        }
    }
}
