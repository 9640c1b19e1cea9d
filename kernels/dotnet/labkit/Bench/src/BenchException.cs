using System;
using System.Collections.Generic;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>The protocol's kinds of error; the value of each is its exit status.</summary>
    public enum ErrorKind
    {
        Internal = 1,
        Usage = 2,
        Missing = 3,
        Validation = 4,
    }

    /// <summary>
    /// A reason to stop that the protocol knows: it becomes the last line, and its kind the exit status.
    /// </summary>
    public abstract class BenchException : Exception
    {
        protected BenchException(ErrorKind kind, string message, IEnumerable<string>? allowed = null)
            : base(message)
        {
            Kind = kind;
            Allowed = allowed?.ToArray() ?? Array.Empty<string>();
        }

        public ErrorKind Kind { get; }

        /// <summary>What would have been right; empty if there is no list of it.</summary>
        public IReadOnlyList<string> Allowed { get; }
    }

    /// <summary>Bad input: names what was wrong and what is allowed.</summary>
    public sealed class UsageException : BenchException
    {
        public UsageException(string message, IEnumerable<string> allowed)
            : base(ErrorKind.Usage, message, allowed)
        {
        }

        public UsageException(string message, params string[] allowed)
            : base(ErrorKind.Usage, message, allowed)
        {
        }

        internal static UsageException Unknown(string kind, string name) =>
            new UsageException($"unknown {kind} '{name}'");
    }

    /// <summary>Something that the scenario needs is not on this machine.</summary>
    public sealed class MissingException : BenchException
    {
        public MissingException(string message)
            : base(ErrorKind.Missing, message)
        {
        }
    }

    /// <summary>The scenario's outcome is wrong: whatever was measured does not count.</summary>
    public sealed class ValidationException : BenchException
    {
        public ValidationException(string message)
            : base(ErrorKind.Validation, message)
        {
        }
    }

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
