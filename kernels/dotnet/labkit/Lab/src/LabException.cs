using System;

namespace Perflab.Lab
{
    /// <summary>What went wrong, in the lab's own words, and what to do about it.</summary>
    public sealed class LabException : Exception
    {
        internal LabException(string text, string hint = "", int exitStatus = 4)
            : base(hint.Length == 0 ? text : $"{text}\n  hint: {hint}")
        {
            Text = text;
            Hint = hint;
            ExitStatus = exitStatus;
            // The lab's own kernel shows the message alone: the stack is the labkit's, and says nothing about the cell.
            Data["perflab.message-only"] = true;
        }

        /// <summary>What is wrong.</summary>
        public string Text { get; }

        /// <summary>What to do about it; may be empty.</summary>
        public string Hint { get; }

        /// <summary>
        /// The status that <c>./lab</c> ended with: 1 a shortfall, 2 wrong use, 3 something missing, 4 a failed benchmark; 130 after an
        /// interrupt.
        /// </summary>
        public int ExitStatus { get; }
    }
}
