using Perflab.Lab.Stream;

namespace Perflab.Lab.Show
{
    /// <summary>Shows nothing, for commands that the reader has not asked for.</summary>
    internal sealed class Silence : IListener
    {
        public void Progress(StreamMessage message)
        {
        }

        public void Display(StreamMessage message)
        {
        }

        public void Note(string text)
        {
        }
    }
}
