namespace Perflab.ThreadPools.Lab
{
    /// <summary>An element of an array of items, each a <see cref="WorkItem"/> or a Task; as a struct, because a store
    /// into an array of a class that has subclasses checks the type.</summary>
    internal struct WorkSlot
    {
        internal object? Item;
    }
}
