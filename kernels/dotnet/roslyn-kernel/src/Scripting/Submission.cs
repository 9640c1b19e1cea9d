using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Emit;

namespace Perflab.RoslynKernel.Scripting
{
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
