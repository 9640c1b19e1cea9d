using System;
using System.Collections.Generic;

namespace Perflab.Bench
{
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
