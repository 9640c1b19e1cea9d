using System;
using System.Collections.Generic;
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

    /// <summary>
    /// What a scenario looked at in its own outcome. The first check that does not hold ends the run.
    /// </summary>
    public sealed class Checks
    {
        private readonly List<string> _passed = new List<string>();

        /// <summary>The statements that held each time they were checked.</summary>
        public IReadOnlyList<string> Passed => _passed;

        /// <summary>Demands that something holds.</summary>
        /// <param name="name">the statement that is checked, in words that also read well in the <c>end</c>
        /// line</param>
        /// <param name="holds">whether it does</param>
        /// <param name="evidence">what was seen instead, called only if it does not hold</param>
        /// <exception cref="ValidationException">It does not hold.</exception>
        public void Require(string name, bool holds, Func<string> evidence)
        {
            if (!holds)
            {
                throw new ValidationException($"{name}: {evidence()}");
            }

            if (!_passed.Contains(name))
            {
                _passed.Add(name);
            }
        }
    }
}
