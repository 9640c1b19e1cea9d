using System.Collections.Generic;
using System.Linq;

namespace Perflab.Bench
{
    /// <summary>One implementation of the component.</summary>
    /// <typeparam name="TSubject">the type of the subject</typeparam>
    public sealed class Variant<TSubject>
    {
        private readonly string[] _scenarios;

        /// <param name="name">the name after <c>--variant</c></param>
        /// <param name="role">what it stands for in the topic</param>
        /// <param name="description">one line</param>
        /// <param name="source">where its code is, relative to the component's folder</param>
        /// <param name="subject">what it hands to scenarios</param>
        /// <param name="scenarios">the names of the scenarios it supports; none for all</param>
        public Variant(
            string name, Role role, string description, string source, TSubject subject, params string[] scenarios) =>
            (Name, Role, Description, Source, Subject, _scenarios) =
            (name, role, description, source, subject, scenarios);

        public string Name { get; }

        public Role Role { get; }

        public string Description { get; }

        public string Source { get; }

        public TSubject Subject { get; }

        public IReadOnlyList<string> Scenarios => _scenarios;

        public bool Supports(string scenario) => _scenarios.Length == 0 || _scenarios.Contains(scenario);

        internal Dictionary<string, object> ToJson(IEnumerable<string> allScenarios) => new Dictionary<string, object>
        {
            ["name"] = Name,
            ["role"] = ProtocolWriter.Name(Role),
            ["description"] = Description,
            ["source"] = Source,
            ["scenarios"] = allScenarios.Where(Supports).ToArray(),
        };
    }

    /// <summary>What a variant stands for in its topic.</summary>
    public enum Role
    {
        /// <summary>The system as the report found it.</summary>
        Before,

        /// <summary>The system as the report fixed it.</summary>
        After,

        /// <summary>What a user would pick instead.</summary>
        Peer,

        /// <summary>This project's own best.</summary>
        Lab,

        /// <summary>A reader's plug-in.</summary>
        Yours,
    }
}
