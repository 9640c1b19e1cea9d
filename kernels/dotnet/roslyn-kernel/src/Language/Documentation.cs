using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Xml;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;

namespace Perflab.RoslynKernel.Language
{
    /// <summary>The documentation of a symbol, from the XML files of the SDK's reference assemblies and of the notebook's libraries.</summary>
    internal static class Documentation
    {
        /// <returns>Its summary and its parameters, or nothing.</returns>
        public static string Of(ISymbol symbol, IEnumerable<string> libraries)
        {
            var id = symbol.OriginalDefinition.GetDocumentationCommentId();
            if (id is null || symbol.Locations.Any(location => location.IsInSource))
            {
                return "";
            }
            var files = libraries.Select(path => Path.ChangeExtension(path, ".xml")).Where(File.Exists).Concat(OfTheSdk());
            return files.Select(file => Member(file, id)).OfType<XElement>().Select(Text).FirstOrDefault() ?? "";
        }

        private static IEnumerable<string> OfTheSdk()
        {
            var root = Environment.GetEnvironmentVariable("DOTNET_ROOT") ?? "";
            var pack = Path.Combine(root, "packs", "Microsoft.NETCore.App.Ref");
            return Directory.Exists(pack)
                ? Directory.EnumerateFiles(pack, "System.*.xml", SearchOption.AllDirectories)
                : Enumerable.Empty<string>();
        }

        private static XElement? Member(string file, string id)
        {
            // Which file documents what is not to be told from names: types have moved between assemblies.
            if (!File.ReadLines(file).Any(line => line.Contains($"\"{id}\"", StringComparison.Ordinal)))
            {
                return null;
            }
            using var reader = XmlReader.Create(file);
            while (reader.ReadToFollowing("member"))
            {
                if (reader.GetAttribute("name") == id)
                {
                    return (XElement)XNode.ReadFrom(reader);
                }
            }
            return null;
        }

        private static string Text(XElement member)
        {
            var lines = new List<string> { Words(member.Element("summary")) };
            lines.AddRange(member.Elements("param").Select(one => $"{one.Attribute("name")?.Value}: {Words(one)}"));
            if (member.Element("returns") is { } returns)
            {
                lines.Add($"Returns: {Words(returns)}");
            }
            return string.Join("\n", lines.Where(line => line.Length > 0));
        }

        private static string Words(XElement? element)
        {
            if (element is null)
            {
                return "";
            }
            var words = string.Concat(element.DescendantNodes().Select(node => node switch
            {
                XText text => text.Value,
                XElement see => Reference(see),
                _ => "",
            }));
            return Regex.Replace(words, @"\s+", " ").Trim();
        }

        private static string Reference(XElement see)
        {
            var value = see.Attribute("cref")?.Value ?? see.Attribute("langword")?.Value ?? see.Attribute("name")?.Value ?? "";
            return value.Substring(value.LastIndexOf(':') + 1);
        }
    }
}
