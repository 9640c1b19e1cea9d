namespace Perflab.ThreadPools
{
    /// <summary>Whether a pool tells what it does.</summary>
    public enum Observability
    {
        /// <summary>The code that would tell is not run.</summary>
        Off,

        /// <summary>
        /// It is run, and tells whoever listens. In a measurement nobody does, unless the measurement says so.
        /// </summary>
        On,
    }
}
