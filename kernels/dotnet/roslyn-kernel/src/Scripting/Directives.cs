using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Perflab.RoslynKernel.Scripting
{
    /// <summary>Lines of .NET Interactive's that are not C#: the few that mean something here, and what is said of the others.</summary>
    internal static class Directives
    {
        private const string Packages = "nuget:";

        private static readonly string[] s_csharp = { "#!csharp", "#!c#", "#!C#" };

        private static readonly DiagnosticDescriptor s_package = Error("LAB0001",
            "packages cannot be loaded, only assemblies by their path: fetch it with 'dotnet new classlib -o packages', "
            + "'dotnet add packages package {0}' and 'dotnet publish packages -o packages/lib', then '#r \"packages/lib/{1}.dll\"'");

        private static readonly DiagnosticDescriptor s_source = Error("LAB0002",
            "package sources cannot be added; '#r \"path.dll\"' loads an assembly");

        private static readonly DiagnosticDescriptor s_command = Error("LAB0003",
            "{0} is not known here: there are '#!csharp' as the first line of a cell, '#r \"path.dll\"' and '#load \"path.csx\"'; "
            + "other commands and languages are .NET Interactive's, see './lab setup --csharp-kernel'");

        /// <summary>Takes a first line away that says that the cell is C#. The line stays, empty, so that others keep their numbers.</summary>
        public static string Strip(string code)
        {
            var end = code.IndexOf('\n');
            var first = (end < 0 ? code : code.Substring(0, end)).TrimEnd();
            return Array.IndexOf(s_csharp, first) < 0 ? code : end < 0 ? "" : code.Substring(end);
        }

        /// <summary>What this kernel cannot do, with what it can; the compiler would pass over it, or say less.</summary>
        public static IReadOnlyList<Diagnostic> Errors(SyntaxTree tree) => tree.GetRoot()
            .DescendantTrivia()
            .Where(one => one.IsDirective)
            .Select(one => ErrorOf(one.GetStructure()!))
            .OfType<Diagnostic>()
            .ToList();

        private static Diagnostic? ErrorOf(SyntaxNode directive)
        {
            if (directive is ReferenceDirectiveTriviaSyntax reference
                && reference.File.ValueText.StartsWith(Packages, StringComparison.OrdinalIgnoreCase))
            {
                var words = reference.File.ValueText.Substring(Packages.Length).Split(',');
                var name = words[0].Trim();
                var version = words.Length > 1 ? $" --version {words[1].Trim()}" : "";
                return Diagnostic.Create(s_package, directive.GetLocation(), name + version, name);
            }
            // The compiler knows "#!" in the first line only, and "#i" nowhere.
            var text = directive.ToString();
            return text.StartsWith("#!", StringComparison.Ordinal)
                ? Diagnostic.Create(s_command, directive.GetLocation(), text.Split()[0])
                : text.StartsWith("#i ", StringComparison.Ordinal) ? Diagnostic.Create(s_source, directive.GetLocation()) : null;
        }

        private static DiagnosticDescriptor Error(string id, string message) =>
            new DiagnosticDescriptor(id, message, message, "notebook", DiagnosticSeverity.Error, isEnabledByDefault: true);
    }
}
