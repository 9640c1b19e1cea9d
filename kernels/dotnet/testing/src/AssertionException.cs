using System;

namespace Perflab.Testing
{
    /// <summary>What a test claims does not hold.</summary>
    public sealed class AssertionException : Exception
    {
        public AssertionException(string message)
            : base(message)
        {
        }
    }
}
