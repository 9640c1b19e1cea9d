using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading.Tasks;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;
using Perflab.RoslynKernel.Display;

namespace Perflab.RoslynKernel.Scripting
{
    /// <summary>
    /// The chain of cells that have run. Each is compiled against those before it, and their variables live on as fields of
    /// the objects in <see cref="States"/>.
    /// </summary>
    internal sealed class Session
    {
        /// <summary>The name of the type around what a cell declares, which stack traces and texts leave out.</summary>
        public const string CellClass = "<Cell>";

        // What .NET Interactive's C# kernel has open from the start, so that a notebook runs in both.
        private static readonly string[] s_imports =
        {
            "System", "System.Text", "System.Collections", "System.Collections.Generic", "System.Threading.Tasks",
            "System.Linq", "Perflab.RoslynKernel.Display",
        };

        private static readonly CSharpParseOptions s_parsing =
            new CSharpParseOptions(LanguageVersion.Latest, DocumentationMode.None, SourceCodeKind.Script);

        private readonly CSharpCompilationOptions _options;
        private CSharpCompilation? _last;
        private int _count;

        public Session()
        {
            _options = new CSharpCompilationOptions(
                OutputKind.DynamicallyLinkedLibrary,
                scriptClassName: CellClass,
                usings: s_imports,
                // Cells try out what is measured: they get the code that the component gets.
                optimizationLevel: OptimizationLevel.Release,
                allowUnsafe: true,
                metadataReferenceResolver: Libraries,
                sourceReferenceResolver: SourceFileResolver.Default);
        }

        public LibraryReferences Libraries { get; } = new LibraryReferences();

        /// <summary>The sources of the cells that have run, in their order.</summary>
        public List<string> Sources { get; } = new List<string>();

        /// <summary>Slot 0 holds what all cells can call; then one slot per cell that holds code.</summary>
        public object?[] States { get; private set; } = { new Cells() };

        public static SyntaxTree Parse(string code, string path = "") =>
            CSharpSyntaxTree.ParseText(SourceText.From(code, Encoding.UTF8), s_parsing, path);

        /// <summary>A compilation of a cell after all cells that have run; changes nothing.</summary>
        public CSharpCompilation Compilation(SyntaxTree tree) => CSharpCompilation.CreateScriptCompilation(
            $"cell-{_count + 1}",
            tree,
            LibraryReferences.Framework.AddRange(Libraries.All),
            _options,
            _last,
            typeof(object),
            typeof(Cells));

        /// <summary>Makes room for the next cell's state, and for its name to be its own.</summary>
        public void Prepare()
        {
            _count++;
            var states = new object?[States.Length + 1];
            States.CopyTo(states, 0);
            States = states;
        }

        /// <summary>
        /// Takes a cell into the chain once it has begun to run, whatever has become of it: what it declared before it
        /// failed can be used.
        /// </summary>
        public void Keep(CSharpCompilation compilation, string source, bool hasCode)
        {
            if (States[States.Length - 1] is null)
            {
                Drop();
                if (hasCode)
                {
                    // It was stopped before it made its state; nothing after it may look for that.
                    return;
                }
            }
            _last = compilation;
            Sources.Add(source);
        }

        /// <summary>Takes back the room for a cell's state.</summary>
        public void Drop() => States = States.Take(States.Length - 1).ToArray();

        /// <summary>Compiles and runs what cells commonly have, so that the first cell does not pay for all of the compiler.</summary>
        public void WarmUp()
        {
            const string code = "using System.IO; var list = new List<int> { 1 }; list.Select(x => $\"{x}\").First()";
            Prepare();
            var submission = Submission.Compile(this, code, "warm-up");
            if (submission.Run != null)
            {
                Bundle.Of(submission.Run(States).GetAwaiter().GetResult(), Array.Empty<string>());
            }
            States = new object?[] { States[0] };
        }
    }

    /// <summary>A compiled cell.</summary>
    internal sealed class Submission
    {
        private Submission(CSharpCompilation compilation, IReadOnlyList<Diagnostic> errors)
        {
            Compilation = compilation;
            Errors = errors;
        }

        public CSharpCompilation Compilation { get; }

        /// <summary>If there are any, it cannot run.</summary>
        public IReadOnlyList<Diagnostic> Errors { get; }

        /// <summary>Runs it with the states of the cells before it; null if there is nothing in it to run.</summary>
        public Func<object?[], Task<object?>>? Run { get; private set; }

        /// <summary>Whether it ends in an expression without a semicolon, whose value the notebook shows.</summary>
        public bool HasResult { get; private set; }

        public static Submission Compile(Session session, string code, string name)
        {
            var tree = Session.Parse(code, name);
            var compilation = session.Compilation(tree);
            var beyond = Directives.Errors(tree);
            if (beyond.Count > 0)
            {
                return new Submission(compilation, beyond);
            }
            using var assembly = new MemoryStream();
            using var symbols = new MemoryStream();
            var emitted = compilation.Emit(
                assembly, symbols, options: new EmitOptions(debugInformationFormat: DebugInformationFormat.PortablePdb));
            var errors = emitted.Diagnostics.Where(one => one.Severity == DiagnosticSeverity.Error).ToList();
            var submission = new Submission(compilation, errors);
            if (emitted.Success)
            {
                submission.HasResult = EndsInValue(compilation, tree);
                submission.Run = EntryPoint(compilation, AssemblyFinder.Load(assembly.ToArray(), symbols.ToArray()));
            }
            return submission;
        }

        private static Func<object?[], Task<object?>>? EntryPoint(Compilation compilation, Assembly assembly)
        {
            var entry = compilation.GetEntryPoint(default);
            if (entry is null)
            {
                return null;
            }
            var type = assembly.GetType(entry.ContainingType.MetadataName, throwOnError: true)!;
            var method = type.GetMethod(entry.MetadataName, BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public)!;
            return (Func<object?[], Task<object?>>)method.CreateDelegate(typeof(Func<object?[], Task<object?>>));
        }

        private static bool EndsInValue(Compilation compilation, SyntaxTree tree)
        {
            if (!(tree.GetCompilationUnitRoot().Members.LastOrDefault() is GlobalStatementSyntax last))
            {
                return false;
            }
            return last.Statement switch
            {
                ReturnStatementSyntax statement => statement.Expression != null,
                ExpressionStatementSyntax statement => statement.SemicolonToken.IsMissing
                    && compilation.GetSemanticModel(tree).GetTypeInfo(statement.Expression).Type?.SpecialType
                    != SpecialType.System_Void,
                _ => false,
            };
        }
    }
}
