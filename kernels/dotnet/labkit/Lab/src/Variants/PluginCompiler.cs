using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace Perflab.Lab.Variants
{
    /// <summary>Compiles a variant against its component, with the compiler that the kernel has loaded.</summary>
    internal sealed class PluginCompiler
    {
        private readonly CSharpCompilation _empty;

        /// <param name="component">The component's assemblies.</param>
        public PluginCompiler(IEnumerable<string> component)
        {
            var framework = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator);
            _empty = CSharpCompilation.Create(
                "plugin",
                references: framework.Concat(component).Select(path => MetadataReference.CreateFromFile(path)),
                // Not nullable: a cell's own annotations are the reader's affair, and so is their absence.
                options: new CSharpCompilationOptions(
                    OutputKind.DynamicallyLinkedLibrary, optimizationLevel: OptimizationLevel.Release, allowUnsafe: true));
        }

        /// <summary>Whether a variant can see a namespace or type of this name.</summary>
        public bool Knows(string name)
        {
            INamespaceOrTypeSymbol? at = _empty.GlobalNamespace;
            foreach (var part in name.Split('.'))
            {
                at = at?.GetMembers(part).OfType<INamespaceOrTypeSymbol>().FirstOrDefault();
            }
            return at != null;
        }

        /// <param name="source">What is compiled.</param>
        /// <param name="subject">What messages call it.</param>
        /// <param name="target">Where the assembly goes; its name is the assembly's.</param>
        /// <exception cref="LabException">It does not compile; with the cell's own lines and columns.</exception>
        public void Compile(CellSource source, string subject, string target)
        {
            var compilation = _empty
                .WithAssemblyName(Path.GetFileNameWithoutExtension(target))
                .AddSyntaxTrees(CSharpSyntaxTree.ParseText(SourceText.From(source.Text, Encoding.UTF8)));
            using var image = new MemoryStream();
            var errors = compilation.Emit(image).Diagnostics
                .Where(one => one.Severity == DiagnosticSeverity.Error)
                .Select(one => Described(one, source))
                .ToList();
            if (errors.Count > 0)
            {
                throw new LabException(
                    $"{subject} does not compile\n{string.Join("\n", errors)}",
                    "a variant is compiled on its own, without the notebook's variables: it may use what its own cell declares, "
                    + "and the component; keep statements in another cell",
                    2);
            }
            File.WriteAllBytes(target, image.ToArray());
        }

        private static string Described(Diagnostic error, CellSource source)
        {
            var (line, column) = source.Position(error.Location.GetLineSpan());
            return $"  line {line}, column {column}: {error.Id}: {error.GetMessage()}";
        }
    }
}
