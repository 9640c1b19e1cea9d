using System.Linq;
using System.Text.Json;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Perflab.RoslynKernel.Scripting;

namespace Perflab.RoslynKernel.Language
{
    /// <summary>Whether a console should run what was typed, or wait for more lines.</summary>
    internal readonly struct Completeness
    {
        private const int IndentWidth = 4;

        private readonly string _status;
        private readonly string _indent;

        private Completeness(string status, string indent)
        {
            _status = status;
            _indent = indent;
        }

        public static Completeness Of(string code)
        {
            var tree = Session.Parse(code);
            if (!SyntaxFactory.IsCompleteSubmission(tree))
            {
                return new Completeness("incomplete", new string(' ', IndentWidth * OpenBraces(tree)));
            }
            var isInvalid = tree.GetDiagnostics().Any(one => one.Severity == DiagnosticSeverity.Error);
            return new Completeness(isInvalid ? "invalid" : "complete", "");
        }

        public void WriteTo(Utf8JsonWriter json)
        {
            json.WriteString("status", _status);
            json.WriteString("indent", _indent);
        }

        private static int OpenBraces(SyntaxTree tree)
        {
            var depth = 0;
            foreach (var token in tree.GetRoot().DescendantTokens())
            {
                depth += token.IsMissing ? 0
                    : token.IsKind(SyntaxKind.OpenBraceToken) ? 1
                    : token.IsKind(SyntaxKind.CloseBraceToken) ? -1
                    : 0;
            }
            return depth < 0 ? 0 : depth;
        }
    }
}
