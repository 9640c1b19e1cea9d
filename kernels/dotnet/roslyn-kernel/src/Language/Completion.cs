using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Perflab.RoslynKernel.Scripting;

namespace Perflab.RoslynKernel.Language
{
    /// <summary>Completion from the compiler's symbols: members behind a dot, and names and keywords elsewhere.</summary>
    internal static class Completion
    {
        /// <returns>Where the completed word starts, and what could stand there, each with its kind.</returns>
        public static (int Start, IReadOnlyList<(string Text, string Kind)> Items) At(Session session, string code, int cursor)
        {
            var start = cursor;
            while (start > 0 && SyntaxFacts.IsIdentifierPartCharacter(code[start - 1]))
            {
                start--;
            }
            var prefix = code.Substring(start, cursor - start);
            var tree = Session.Parse(code);
            var model = session.Compilation(tree).GetSemanticModel(tree);
            var left = LeftOfDot(tree, start);
            var items = left is null ? Names(model, start) : Members(model, left, start);
            var matching = items
                .Where(item => item.Text.StartsWith(prefix, StringComparison.OrdinalIgnoreCase))
                .Distinct()
                // What matches letter for letter comes first.
                .OrderBy(item => !item.Text.StartsWith(prefix, StringComparison.Ordinal))
                .ThenBy(item => item.Text, StringComparer.OrdinalIgnoreCase)
                .ToList();
            return (start, matching);
        }

        private static ExpressionSyntax? LeftOfDot(SyntaxTree tree, int start)
        {
            var token = tree.GetRoot().FindToken(Math.Max(0, start - 1));
            if (!token.IsKind(SyntaxKind.DotToken) || token.Span.End > start)
            {
                return null;
            }
            return token.Parent switch
            {
                MemberAccessExpressionSyntax access => access.Expression,
                QualifiedNameSyntax name => name.Left,
                MemberBindingExpressionSyntax binding => binding.FirstAncestorOrSelf<ConditionalAccessExpressionSyntax>()?.Expression,
                _ => null,
            };
        }

        private static IEnumerable<(string Text, string Kind)> Members(
            SemanticModel model, ExpressionSyntax left, int position)
        {
            var symbol = model.GetSymbolInfo(left).Symbol;
            if (symbol is INamespaceOrTypeSymbol container)
            {
                return Shown(model.LookupSymbols(position, container).Where(one => one.IsStatic || one is INamespaceOrTypeSymbol));
            }
            var type = model.GetTypeInfo(left).Type;
            return type is null || type.TypeKind == TypeKind.Error
                ? Enumerable.Empty<(string, string)>()
                : Shown(model.LookupSymbols(position, type, includeReducedExtensionMethods: true).Where(one => !one.IsStatic));
        }

        private static IEnumerable<(string Text, string Kind)> Names(SemanticModel model, int position) =>
            Shown(model.LookupSymbols(position))
                .Concat(SyntaxFacts.GetKeywordKinds().Where(kind => SyntaxFacts.IsKeywordKind(kind) && !IsRare(kind))
                    .Select(kind => (SyntaxFacts.GetText(kind), "keyword")));

        private static IEnumerable<(string Text, string Kind)> Shown(IEnumerable<ISymbol> symbols) =>
            symbols.Where(one => one.CanBeReferencedByName).Select(one => (one.Name, Kind(one)));

        private static bool IsRare(SyntaxKind kind) =>
            SyntaxFacts.IsPreprocessorKeyword(kind) && !SyntaxFacts.IsReservedKeyword(kind)
            || SyntaxFacts.GetText(kind).StartsWith("__", StringComparison.Ordinal);

        private static string Kind(ISymbol symbol) => symbol switch
        {
            IMethodSymbol _ => "function",
            INamespaceSymbol _ => "module",
            ITypeSymbol _ => "class",
            IPropertySymbol _ => "property",
            IFieldSymbol _ => "instance",
            IEventSymbol _ => "event",
            _ => "variable",
        };
    }
}
