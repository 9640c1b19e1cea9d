using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Perflab.RoslynKernel.Scripting
{
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
