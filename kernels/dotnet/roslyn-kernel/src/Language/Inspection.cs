using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Perflab.RoslynKernel.Display;
using Perflab.RoslynKernel.Scripting;

namespace Perflab.RoslynKernel.Language
{
    /// <summary>What the name at the cursor stands for: its declaration, its overloads, its documentation.</summary>
    internal static class Inspection
    {
        private const int OverloadsShown = 12;

        private static readonly SymbolDisplayFormat s_format = SymbolDisplayFormat.CSharpErrorMessageFormat
            .WithMemberOptions(
                SymbolDisplayMemberOptions.IncludeParameters | SymbolDisplayMemberOptions.IncludeContainingType
                | SymbolDisplayMemberOptions.IncludeType | SymbolDisplayMemberOptions.IncludeModifiers
                | SymbolDisplayMemberOptions.IncludeConstantValue)
            .WithParameterOptions(
                SymbolDisplayParameterOptions.IncludeType | SymbolDisplayParameterOptions.IncludeName
                | SymbolDisplayParameterOptions.IncludeDefaultValue | SymbolDisplayParameterOptions.IncludeParamsRefOut)
            .WithKindOptions(SymbolDisplayKindOptions.IncludeTypeKeyword | SymbolDisplayKindOptions.IncludeNamespaceKeyword)
            .WithLocalOptions(SymbolDisplayLocalOptions.IncludeType);

        public static IReadOnlyDictionary<string, string>? At(Session session, string code, int cursor)
        {
            var tree = Session.Parse(code);
            var model = session.Compilation(tree).GetSemanticModel(tree);
            var symbols = Symbols(model, tree, cursor);
            if (symbols.Count == 0)
            {
                return null;
            }
            var declarations = symbols.Take(OverloadsShown).Select(Declaration).ToList();
            if (symbols.Count > OverloadsShown)
            {
                declarations.Add($"... and {symbols.Count - OverloadsShown} more");
            }
            var documentation = Documentation.Of(symbols[0], session.Libraries.Paths);
            var text = string.Join("\n", declarations) + (documentation.Length == 0 ? "" : "\n\n" + documentation);
            return new Dictionary<string, string>
            {
                [Bundle.Plain] = text,
                ["text/html"] = $"<pre>{WebUtility.HtmlEncode(text)}</pre>",
            };
        }

        private static IReadOnlyList<ISymbol> Symbols(SemanticModel model, SyntaxTree tree, int cursor)
        {
            // The token that the cursor is in or, failing that, the one that ends there.
            foreach (var position in new[] { cursor, cursor - 1 })
            {
                if (position < 0 || position >= tree.Length)
                {
                    continue;
                }
                var token = tree.GetRoot().FindToken(position);
                if (!token.Span.Contains(position) || token.Parent is null)
                {
                    continue;
                }
                // Inside the parentheses of a call, the method is what is asked for.
                var node = token.IsKind(SyntaxKind.OpenParenToken) && token.Parent is ArgumentListSyntax { Parent: InvocationExpressionSyntax call }
                    ? call.Expression
                    : token.Parent;
                var info = model.GetSymbolInfo(node);
                var found = info.Symbol != null ? new[] { info.Symbol } : info.CandidateSymbols.ToArray();
                if (found.Length == 0 && model.GetDeclaredSymbol(node) is { } declared)
                {
                    found = new[] { declared };
                }
                if (found.Length == 0)
                {
                    found = model.GetMemberGroup(node).ToArray();
                }
                if (found.Length > 0)
                {
                    return found;
                }
            }
            return Array.Empty<ISymbol>();
        }

        // A cell's variables are fields of a type that nobody has written.
        private static string Declaration(ISymbol symbol) =>
            symbol.ContainingType?.IsScriptClass == true
                ? symbol.ToDisplayString(s_format.RemoveMemberOptions(SymbolDisplayMemberOptions.IncludeContainingType))
                : symbol.ToDisplayString(s_format);
    }
}
