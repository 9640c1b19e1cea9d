using System;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Perflab.Bench
{
    /// <summary>One statement of a component's contract, checked on a variant.</summary>
    /// <typeparam name="TSubject">the type of the subject</typeparam>
    public sealed class Check<TSubject>
    {
        private readonly Action<TSubject> _body;
        private readonly Func<TSubject, bool>? _appliesTo;

        /// <param name="name">the statement</param>
        /// <param name="body">passes by returning; whatever it throws is the evidence against the statement</param>
        /// <param name="appliesTo">which subjects the statement is about; null for all</param>
        public Check(string name, Action<TSubject> body, Func<TSubject, bool>? appliesTo = null) =>
            (Name, _body, _appliesTo) = (name, body, appliesTo);

        public string Name { get; }

        /// <summary>Whether the statement is about this subject.</summary>
        public bool AppliesTo(TSubject subject) => _appliesTo?.Invoke(subject) ?? true;

        /// <summary>Runs the check on a thread of its own.</summary>
        /// <param name="subject">what is checked</param>
        /// <param name="limitMs">how long it may take, in milliseconds; a check that hangs is left behind</param>
        /// <exception cref="ContractException">The statement does not hold, or the check did not end.</exception>
        public void Run(TSubject subject, int limitMs)
        {
            ExceptionDispatchInfo? thrown = null;
            var thread = new Thread(() =>
            {
                try
                {
                    _body(subject);
                }
                catch (Exception problem)
                {
                    thrown = ExceptionDispatchInfo.Capture(problem);
                }
            })
            { IsBackground = true, Name = "check: " + Name };
            thread.Start();
            if (!thread.Join(limitMs))
            {
                throw new ContractException($"did not end within {limitMs} ms");
            }

            thrown?.Throw();
        }
    }
}
