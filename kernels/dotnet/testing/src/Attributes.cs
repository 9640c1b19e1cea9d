using System;

namespace Perflab.Testing
{
    /// <summary>A test without arguments: a public method of a public class with a parameterless constructor.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    public class FactAttribute : Attribute
    {
        /// <summary>
        /// How long the test may take, in milliseconds, before it counts as hanging. Never a measurement.
        /// </summary>
        public int Timeout { get; set; } = 60_000;

        /// <summary>Why the test is left out; null if it is not.</summary>
        public string? Skip { get; set; }
    }

    /// <summary>A test that is run once for each of its <see cref="InlineDataAttribute"/>s.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class TheoryAttribute : FactAttribute
    {
    }

    /// <summary>The arguments of one run of a theory.</summary>
    [AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
    public sealed class InlineDataAttribute : Attribute
    {
        public InlineDataAttribute(params object[] arguments) => Arguments = arguments;

        public object[] Arguments { get; }
    }

    /// <summary>
    /// Puts a test, or all tests of a class, into a category that the command line can leave out or pick.
    /// </summary>
    [AttributeUsage(AttributeTargets.Method | AttributeTargets.Class, AllowMultiple = true)]
    public sealed class CategoryAttribute : Attribute
    {
        public CategoryAttribute(string name) => Name = name;

        public string Name { get; }
    }
}
