namespace Toy
{
    public interface ICup
    {
        bool Put(object element);

        object? Get();
    }
}
