using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Perflab.Lab
{
    /// <summary>
    /// A variant of your own that compiles and keeps the topic's contract; <c>lab.Measure(..., plugin: it)</c> measures it.
    /// </summary>
    [TypeFormatterSource(typeof(TextFormatters))]
    public sealed class Plugin
    {
        private const int FingerprintBytes = 6;

        private Plugin(string component, IReadOnlyList<LabResult> checks, string path)
        {
            Component = component;
            Variants = checks.Select(one => one["variant"].Text).OfType<string>().Distinct().ToList();
            Checks = checks.Select(one => one["name"].Text).OfType<string>().Distinct().ToList();
            Path = path;
        }

        /// <summary>The topic.</summary>
        public string Component { get; }

        /// <summary>The names it is measured under, as in <c>my-pool</c>.</summary>
        public IReadOnlyList<string> Variants { get; }

        /// <summary>The contract's checks that it passed.</summary>
        public IReadOnlyList<string> Checks { get; }

        internal string Path { get; }

        /// <inheritdoc/>
        public override string ToString() =>
            $"{string.Join(", ", Variants)}: keeps the contract of {Component}"
            + string.Concat(Checks.Select(check => $"\n  ok  {check}"));

        /// <param name="command">Runs the contract.</param>
        /// <param name="component">The topic.</param>
        /// <param name="subject">What messages call the source.</param>
        /// <param name="code">A cell, or source in a text.</param>
        internal static Plugin Make(Command command, string component, string subject, string code)
        {
            var assemblies = command.Ask("describe", component)["plugin", "classpath"].List.Select(one => one.Text!).ToList();
            if (assemblies.Count == 0)
            {
                throw new LabException(
                    $"{component} takes no variants of your own: its component.toml has no [plugin] classpath", "", 2);
            }
            var framework = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(System.IO.Path.PathSeparator);
            var compilation = CSharpCompilation.Create(
                "plugin",
                references: framework.Concat(assemblies).Select(path => MetadataReference.CreateFromFile(path)),
                options: new CSharpCompilationOptions(
                    OutputKind.DynamicallyLinkedLibrary, optimizationLevel: OptimizationLevel.Release, allowUnsafe: true));
            var source = new CellSource(code, name => Knows(compilation, name));
            // A name by content: the assembly of an earlier attempt may be in use by a measurement.
            var target = System.IO.Path.Combine(command.Folder("plugins"), $"plugin-{Fingerprint(source.Text)}.dll");
            Compile(compilation, source, subject, target);
            var result = command.Run("check", new[] { component }, ("plugin", target));
            var checks = result["checks"].List;
            var failed = checks.Where(one => one["passed"].Text != "true").ToList();
            if (failed.Count > 0 || result.ExitStatus != 0)
            {
                var lines = failed.Select(one => $"\n  FAILED  {one["name"].Text}: {one["message"].Text}");
                throw new LabException(
                    $"{subject} breaks the contract of {component}{string.Concat(lines)}", "a fast wrong answer is no answer");
            }
            return new Plugin(component, checks, target);
        }

        private static bool Knows(Compilation compilation, string name)
        {
            INamespaceOrTypeSymbol? at = compilation.GlobalNamespace;
            foreach (var part in name.Split('.'))
            {
                at = at?.GetMembers(part).OfType<INamespaceOrTypeSymbol>().FirstOrDefault();
            }
            return at != null;
        }

        private static void Compile(CSharpCompilation empty, CellSource source, string subject, string target)
        {
            var compilation = empty
                .WithAssemblyName(System.IO.Path.GetFileNameWithoutExtension(target))
                .AddSyntaxTrees(CSharpSyntaxTree.ParseText(SourceText.From(source.Text, Encoding.UTF8)));
            using var image = new MemoryStream();
            var errors = compilation.Emit(image).Diagnostics
                .Where(one => one.Severity == DiagnosticSeverity.Error)
                .Select(one => $"\n  {source.Position(one.Location)}: {one.Id}: {one.GetMessage()}")
                .ToList();
            if (errors.Count > 0)
            {
                throw new LabException(
                    $"{subject} does not compile{string.Concat(errors)}",
                    "a variant is compiled on its own, without the notebook's variables: it may use what its own cell declares, "
                    + "and the component; keep statements in another cell",
                    2);
            }
            File.WriteAllBytes(target, image.ToArray());
        }

        private static string Fingerprint(string text)
        {
            using var sha = SHA256.Create();
            var hash = sha.ComputeHash(Encoding.UTF8.GetBytes(text));
            return BitConverter.ToString(hash, 0, FingerprintBytes).Replace("-", "").ToLowerInvariant();
        }
    }

    /// <summary>
    /// A cell's declarations as a C# file with the same line numbers: what the notebook has opened in other cells is put in front
    /// of the first line, not above it.
    /// </summary>
    internal sealed class CellSource
    {
        private static readonly string[] s_imports =
        {
            "System", "System.Text", "System.Collections", "System.Collections.Generic", "System.Threading.Tasks", "System.Linq",
        };

        private readonly int _prefixLength;

        /// <param name="code">A cell, or source in a text.</param>
        /// <param name="exists">Whether the compiler knows a namespace or type of this name: the notebook may have opened others.</param>
        public CellSource(string code, Func<string, bool> exists)
        {
            var own = Parse(code).Usings.Select(Line).ToHashSet();
            var elsewhere = Cells.SelectMany(cell => Parse(cell).Usings).Where(one => exists(one.Name.ToString())).Select(Line);
            var prefix = string.Concat(elsewhere.Concat(s_imports.Select(name => $"using {name};"))
                .Distinct().Where(line => !own.Contains(line)).Select(line => line + " "));
            _prefixLength = prefix.Length;
            Text = prefix + string.Join("\n", code.Split('\n').Select(line => IsForKernel(line.TrimStart()) ? "" : line));
        }

        public string Text { get; }

        // In the order in which they were run, where the kernel tells them.
        private static IReadOnlyList<string> Cells =>
            AppDomain.CurrentDomain.GetData("perflab.cells") as IReadOnlyList<string> ?? Interactive.Cells;

        /// <summary>The last cell that declares a class of this name; null if there is none.</summary>
        public static string? Declaring(string name) => Cells.LastOrDefault(cell => Parse(cell).DescendantNodes()
            .OfType<ClassDeclarationSyntax>()
            .Any(one => one.Parent is CompilationUnitSyntax && one.Identifier.Text == name));

        /// <summary>Writes a file of the cells that define methods of these names, each cell once.</summary>
        public static string FileOf(IReadOnlyList<string> methods, string folder)
        {
            var texts = methods
                .Select(name => Cells.LastOrDefault(cell => Parse(cell).Members
                    .OfType<MethodDeclarationSyntax>().Any(one => one.Identifier.Text == name)) ?? throw new LabException(
                    $"no cell is known that defines the method {name}", "run the cell that defines it", 2))
                .Distinct()
                .Select(cell => new CellSource(cell, name => name.Split('.')[0] == "System").Text + "\n");
            var file = Path.Combine(folder, string.Join("-", methods) + ".cs");
            File.WriteAllText(file, string.Concat(texts));
            return file;
        }

        /// <summary>The line and column in the cell of a place in <see cref="Text"/>, counted from 1.</summary>
        public string Position(Location location)
        {
            var start = location.GetLineSpan().StartLinePosition;
            var column = start.Line == 0 ? Math.Max(0, start.Character - _prefixLength) : start.Character;
            return $"line {start.Line + 1}, column {column + 1}";
        }

        private static string Line(UsingDirectiveSyntax one) => one.WithoutTrivia().NormalizeWhitespace().ToFullString();

        private static CompilationUnitSyntax Parse(string code) =>
            CSharpSyntaxTree.ParseText(code, new CSharpParseOptions(kind: SourceCodeKind.Script)).GetCompilationUnitRoot();

        private static bool IsForKernel(string line) =>
            new[] { "#!", "#r ", "#load " }.Any(start => line.StartsWith(start, StringComparison.Ordinal));
    }
}
