using System;
using System.IO;
using System.Reflection;

namespace Perflab.Lab
{
    /// <summary>The lab's checkout, found from where the notebook runs.</summary>
    internal sealed class Checkout
    {
        private const int StickyAndWritable = 0x202; // 01002

        // .NET 7's; the reference assemblies of an older SDK do not have it, whatever the runtime is.
        private static readonly PropertyInfo? s_mode = typeof(FileSystemInfo).GetProperty("UnixFileMode");

        private Checkout(string root) => Root = root;

        public string Root { get; }

        /// <summary>The launcher.</summary>
        public string Launcher => Path.Combine(Root, "lab");

        /// <summary>What is made on this machine and never committed.</summary>
        public string Generated => Path.Combine(Root, ".lab");

        /// <summary>
        /// The nearest folder at or above <paramref name="start"/> that holds both <c>lab</c> and <c>components/</c>. A folder
        /// like <c>/tmp</c> is none, whatever others have put there.
        /// </summary>
        /// <exception cref="LabException">There is none.</exception>
        public static Checkout Above(string start)
        {
            for (DirectoryInfo? folder = new DirectoryInfo(start); folder != null; folder = folder.Parent)
            {
                if (File.Exists(Path.Combine(folder.FullName, "lab"))
                    && Directory.Exists(Path.Combine(folder.FullName, "components"))
                    && !IsShared(folder))
                {
                    return new Checkout(folder.FullName);
                }
            }
            throw new LabException(
                "this notebook is not inside a checkout of perflab", "open it from the checkout's notebooks folder", 3);
        }

        /// <summary>Whether everybody may make files in the folder that nobody else can replace.</summary>
        private static bool IsShared(DirectoryInfo folder) =>
            (Convert.ToInt32(s_mode?.GetValue(folder) ?? 0) & StickyAndWritable) == StickyAndWritable;
    }
}
