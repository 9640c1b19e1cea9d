namespace Perflab.Bench
{
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
