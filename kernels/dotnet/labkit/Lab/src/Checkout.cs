using System.IO;

namespace Perflab.Lab
{
    /// <summary>The lab's checkout, found from where the notebook runs.</summary>
    internal sealed class Checkout
    {
        private Checkout(string root) => Root = root;

        public string Root { get; }

        /// <summary>The launcher.</summary>
        public string Launcher => Path.Combine(Root, "lab");

        /// <summary>What is made on this machine and never committed.</summary>
        public string Generated => Path.Combine(Root, ".lab");

        /// <summary>The nearest folder at or above <paramref name="start"/> that holds both <c>lab</c> and <c>components/</c>.</summary>
        /// <exception cref="LabException">There is none.</exception>
        public static Checkout Above(string start)
        {
            for (DirectoryInfo? folder = new DirectoryInfo(start); folder != null; folder = folder.Parent)
            {
                if (File.Exists(Path.Combine(folder.FullName, "lab"))
                    && Directory.Exists(Path.Combine(folder.FullName, "components")))
                {
                    return new Checkout(folder.FullName);
                }
            }
            throw new LabException(
                "this notebook is not inside a checkout of perflab", "open it from the checkout's notebooks folder", 3);
        }
    }
}
