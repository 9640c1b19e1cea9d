using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Loader;
using System.Text.RegularExpressions;

namespace Perflab.Bench
{
    /// <summary>How a component takes in variants of the reader's own: public classes of an assembly.</summary>
    internal static class Plugins
    {
        /// <summary>Loads the variants in a plug-in.</summary>
        /// <param name="path">the assembly</param>
        /// <param name="adapter">makes a subject of a source of fresh instances</param>
        /// <typeparam name="TService">the interface that a plug-in's class implements</typeparam>
        /// <typeparam name="TSubject">the type of the subject</typeparam>
        /// <exception cref="UsageException">The file is no plug-in for this component.</exception>
        public static List<Variant<TSubject>> Load<TService, TSubject>(
            string path, Func<Func<TService>, TSubject> adapter)
        {
            if (!File.Exists(path))
            {
                throw new UsageException($"no plug-in can be read at '{path}'");
            }

            List<Variant<TSubject>> variants = Classes<TService>(path)
                .Select(type => new Variant<TSubject>(
                    Names.KebabCase(type.Name),
                    Role.Yours,
                    type.FullName!,
                    path,
                    adapter(() => (TService)Activator.CreateInstance(type)!)))
                .ToList();
            if (variants.Count == 0)
            {
                throw new UsageException(
                    $"the plug-in '{path}' has no implementation",
                    $"an assembly with a public class that implements {typeof(TService).FullName} and has a public "
                    + "constructor without arguments");
            }

            return variants;
        }

        private static IEnumerable<Type> Classes<TService>(string path)
        {
            try
            {
                return AssemblyLoadContext.Default.LoadFromAssemblyPath(Path.GetFullPath(path))
                    .GetExportedTypes()
                    .Where(type => type.IsClass && !type.IsAbstract && typeof(TService).IsAssignableFrom(type))
                    .Where(type => type.GetConstructor(Type.EmptyTypes) != null)
                    .ToList();
            }
            catch (Exception problem) when (
                problem is BadImageFormatException || problem is FileLoadException || problem is FileNotFoundException
                || problem is TypeLoadException)
            {
                throw new UsageException($"the plug-in '{path}' does not load: {problem.Message}");
            }
        }
    }

    /// <summary>Names on the command line. Python suggests what a misspelt one was meant to be.</summary>
    internal static class Names
    {
        /// <summary><c>MyPool</c> to <c>my-pool</c>, <c>IOPool2</c> to <c>io-pool2</c>.</summary>
        public static string KebabCase(string className)
        {
            string split = Regex.Replace(className, @"(\p{Ll}|\d)(\p{Lu})", "$1-$2");
            return Regex.Replace(split, @"(\p{Lu})(\p{Lu}\p{Ll})", "$1-$2").Replace('_', '-').ToLowerInvariant();
        }
    }
}
