using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Perflab.Lab.Show;

namespace Perflab.Lab.Variants
{
    /// <summary>
    /// A cell's declarations as a C# file of their own, with the same line numbers. What the notebook has opened in other cells is
    /// put in front of the first line, not above it.
    /// </summary>
    internal sealed class CellSource
    {
        private static readonly string[] s_imports =
        {
            "System", "System.Text", "System.Collections", "System.Collections.Generic", "System.Threading.Tasks", "System.Linq",
        };

        private readonly int _prefixLength;

        /// <param name="code">The cell, or source in a text.</param>
        /// <param name="others">The notebook's other cells.</param>
        /// <param name="exists">Whether the variant can see a namespace or type of this name: the notebook may have opened others.</param>
        public CellSource(string code, IEnumerable<string> others, Func<string, bool> exists)
        {
            var own = Usings(code).Select(Line).ToHashSet();
            var elsewhere = others.SelectMany(Usings).Where(one => exists(one.Name.ToString())).Select(Line);
            var prefix = string.Concat(elsewhere.Concat(s_imports.Select(name => $"using {name};"))
                .Distinct().Where(line => !own.Contains(line)).Select(line => line + " "));
            _prefixLength = prefix.Length;
            Text = prefix + string.Join("\n", code.Split('\n').Select(line => IsForKernel(line) ? "" : line));
        }

        /// <summary>What is compiled.</summary>
        public string Text { get; }

        /// <summary>The last of the notebook's cells that declares a class of this name; null if there is none.</summary>
        public static string? Declaring(string name, IEnumerable<string> cells) =>
            cells.LastOrDefault(cell => Parse(cell).DescendantNodes().OfType<ClassDeclarationSyntax>()
                .Any(one => one.Parent is CompilationUnitSyntax && one.Identifier.Text == name));

        /// <summary>Writes a file of the cells that define methods of these names, each cell once.</summary>
        /// <exception cref="LabException">None defines one of them.</exception>
        public static string FileOf(IReadOnlyList<string> methods, string folder)
        {
            var cells = Cells;
            var own = methods.Select(name => cells.LastOrDefault(cell => Parse(cell).Members
                .OfType<MethodDeclarationSyntax>().Any(one => one.Identifier.Text == name)) ?? throw new LabException(
                    $"no cell is known that defines the method {name}", "run the cell that defines it", 2)).Distinct();
            var texts = own.Select(cell => new CellSource(cell, cells, name => name.Split('.')[0] == "System").Text);
            Directory.CreateDirectory(folder);
            var file = Path.Combine(folder, string.Join("-", methods) + ".cs");
            File.WriteAllText(file, string.Join("\n", texts) + "\n");
            return file;
        }

        /// <summary>The position in the cell of one in <see cref="Text"/>, both counted from 1.</summary>
        public (int Line, int Column) Position(FileLinePositionSpan span)
        {
            var start = span.StartLinePosition;
            var column = start.Line == 0 ? Math.Max(0, start.Character - _prefixLength) : start.Character;
            return (start.Line + 1, column + 1);
        }

        /// <summary>The notebook's cells, in the order in which they were run, where the kernel tells them.</summary>
        public static IReadOnlyList<string> Cells =>
            AppDomain.CurrentDomain.GetData("perflab.cells") as IReadOnlyList<string> ?? Interactive.Cells;

        private static IEnumerable<UsingDirectiveSyntax> Usings(string code) => Parse(code).Usings;

        private static string Line(UsingDirectiveSyntax one) => one.WithoutTrivia().NormalizeWhitespace().ToFullString();

        private static CompilationUnitSyntax Parse(string code) =>
            CSharpSyntaxTree.ParseText(code, new CSharpParseOptions(kind: SourceCodeKind.Script)).GetCompilationUnitRoot();

        private static bool IsForKernel(string line)
        {
            var text = line.TrimStart();
            return text.StartsWith("#!", StringComparison.Ordinal)
                || text.StartsWith("#r ", StringComparison.Ordinal)
                || text.StartsWith("#load ", StringComparison.Ordinal);
        }
    }
}
