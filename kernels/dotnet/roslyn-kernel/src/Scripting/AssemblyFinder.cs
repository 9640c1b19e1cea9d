using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;
using Microsoft.CodeAnalysis;

namespace Perflab.RoslynKernel.Scripting
{
    /// <summary>
    /// Serves the runtime what it does not find beside this program: the compiler, the cells, and what <c>#r</c> names.
    /// </summary>
    internal static class AssemblyFinder
    {
        private static readonly ConcurrentDictionary<string, Assembly> s_cells = new ConcurrentDictionary<string, Assembly>();
        private static readonly ConcurrentDictionary<string, string> s_files = new ConcurrentDictionary<string, string>();
        private static readonly List<string> s_folders = new List<string>();

        /// <param name="compiler">The folder of the compiler's assemblies.</param>
        public static void Install(string compiler)
        {
            s_folders.Add(compiler);
            AssemblyLoadContext.Default.Resolving += (context, name) => Find(context, name.Name ?? "");
        }

        /// <summary>Makes a cell's code findable for the cells after it.</summary>
        public static Assembly Load(byte[] code, byte[] symbols)
        {
            using var codeStream = new MemoryStream(code);
            using var symbolStream = new MemoryStream(symbols);
            var assembly = AssemblyLoadContext.Default.LoadFromStream(codeStream, symbolStream);
            s_cells[assembly.GetName().Name ?? ""] = assembly;
            return assembly;
        }

        /// <summary>Makes a library of the notebook's findable, and whatever lies beside it.</summary>
        public static void Add(string path)
        {
            s_files[Path.GetFileNameWithoutExtension(path)] = path;
            var folder = Path.GetDirectoryName(path) ?? "";
            lock (s_folders)
            {
                if (!s_folders.Contains(folder))
                {
                    s_folders.Add(folder);
                }
            }
        }

        private static Assembly? Find(AssemblyLoadContext context, string name)
        {
            if (s_cells.TryGetValue(name, out var cell))
            {
                return cell;
            }
            if (s_files.TryGetValue(name, out var file))
            {
                return FromMemory(context, file);
            }
            lock (s_folders)
            {
                for (var i = 0; i < s_folders.Count; i++)
                {
                    var path = Path.Combine(s_folders[i], name + ".dll");
                    if (File.Exists(path))
                    {
                        return i == 0 ? context.LoadFromAssemblyPath(path) : FromMemory(context, path);
                    }
                }
            }
            return null;
        }

        // A library is read, not mapped: the notebook's reader may build it again while it is in use, and a mapped file that
        // is written over takes the process down.
        private static Assembly FromMemory(AssemblyLoadContext context, string path)
        {
            using var code = new MemoryStream(File.ReadAllBytes(path));
            var symbolFile = Path.ChangeExtension(path, ".pdb");
            using var symbols = File.Exists(symbolFile) ? new MemoryStream(File.ReadAllBytes(symbolFile)) : null;
            return context.LoadFromStream(code, symbols);
        }
    }

    /// <summary>What cells are compiled against: the framework, and what <c>#r "path"</c> in a cell names.</summary>
    internal sealed class LibraryReferences : MetadataReferenceResolver
    {
        private readonly Dictionary<string, PortableExecutableReference> _byPath =
            new Dictionary<string, PortableExecutableReference>();

        /// <summary>All that this process itself could use.</summary>
        public static readonly ImmutableArray<MetadataReference> Framework =
            ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
            .Split(Path.PathSeparator)
            .Select(path => (MetadataReference)MetadataReference.CreateFromFile(path))
            .ToImmutableArray();

        /// <summary>The files that cells have named so far.</summary>
        public IEnumerable<string> Paths => _byPath.Keys;

        /// <summary>The libraries that cells have named so far, for the cells after them.</summary>
        public IEnumerable<MetadataReference> All => _byPath.Values;

        public override ImmutableArray<PortableExecutableReference> ResolveReference(
            string reference, string baseFilePath, MetadataReferenceProperties properties)
        {
            var path = Path.GetFullPath(reference);
            if (!File.Exists(path))
            {
                // The compiler reports it, with the line.
                return ImmutableArray<PortableExecutableReference>.Empty;
            }
            if (!_byPath.TryGetValue(path, out var found))
            {
                var image = ImmutableArray.Create(File.ReadAllBytes(path));
                found = MetadataReference.CreateFromImage(image, properties, filePath: path);
                _byPath.Add(path, found);
                AssemblyFinder.Add(path);
            }
            return ImmutableArray.Create(found);
        }

        // The session compares resolvers by identity: there is one.
        public override bool Equals(object? other) => ReferenceEquals(this, other);

        public override int GetHashCode() => System.Runtime.CompilerServices.RuntimeHelpers.GetHashCode(this);
    }
}
