using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;
using System.Xml.Linq;

namespace Perflab.Testing
{
    /// <summary>Marks a test: a public method of a public class with a parameterless constructor.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    public class FactAttribute : Attribute
    {
        /// <summary>Milliseconds after which the test counts as hanging.</summary>
        public int Timeout { get; set; } = 60_000;
    }

    /// <summary>Marks a test that runs once for each of its <see cref="InlineDataAttribute"/>s.</summary>
    public sealed class TheoryAttribute : FactAttribute
    {
    }

    /// <summary>The arguments of one run of a theory.</summary>
    [AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
    public sealed class InlineDataAttribute : Attribute
    {
        public InlineDataAttribute(params object[] arguments) => Arguments = arguments;

        public object[] Arguments { get; }
    }

    /// <summary>A name by which the command line leaves out tests.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class CategoryAttribute : Attribute
    {
        public CategoryAttribute(string name) => Name = name;

        public string Name { get; }
    }

    /// <summary>
    /// The main program of a test project. It runs each test on a new instance and a thread of its own, one after the
    /// other, with xunit's attributes: NuGet, which has xunit, cannot be reached everywhere.
    /// </summary>
    public static class TestProgram
    {
        private const string Usage = "[--filter CLASS#METHOD,CLASS,...] [--exclude CATEGORY,...] [--report JUNIT.xml]";

        /// <returns>0 if tests ran and passed, 1 if not, 2 for a wrong command line.</returns>
        public static int Run(Assembly tests, string[] args)
        {
            var options = new Dictionary<string, string> { ["--filter"] = "", ["--exclude"] = "", ["--report"] = "" };
            for (int i = 0; i < args.Length; i += 2)
            {
                if (!options.ContainsKey(args[i]) || i + 1 == args.Length)
                {
                    Console.Error.WriteLine($"wrong option '{args[i]}'; usage: {Usage}");
                    return 2;
                }

                options[args[i]] = args[i + 1];
            }

            string[] filter = options["--filter"].Split(',', StringSplitOptions.RemoveEmptyEntries);
            string[] exclude = options["--exclude"].Split(',', StringSplitOptions.RemoveEmptyEntries);
            var suite = new XElement("testsuite", new XAttribute("name", tests.GetName().Name!));
            int passed = 0, failed = 0;
            var selected =
                from type in tests.GetExportedTypes()
                where type.IsClass && !type.IsAbstract
                from method in type.GetMethods()
                let fact = method.GetCustomAttribute<FactAttribute>()
                where fact != null
                where filter.Length == 0 || filter.Any(name => name == type.Name || name == $"{type.Name}#{method.Name}")
                where !method.GetCustomAttributes<CategoryAttribute>().Any(category => exclude.Contains(category.Name))
                orderby type.FullName, method.Name
                from arguments in fact is TheoryAttribute
                    ? method.GetCustomAttributes<InlineDataAttribute>().Select(data => data.Arguments)
                    : new[] { Array.Empty<object>() }
                select (type, method, fact, arguments);
            foreach (var (type, method, fact, arguments) in selected)
            {
                var clock = Stopwatch.StartNew();
                Exception? thrown = RunOnThread(type, method, arguments, fact.Timeout);
                string name = arguments.Length == 0 ? method.Name : $"{method.Name}({string.Join(", ", arguments)})";
                var element = new XElement(
                    "testcase",
                    new XAttribute("classname", type.FullName!.Replace('+', '.')),
                    new XAttribute("name", name),
                    new XAttribute("time", clock.Elapsed.TotalSeconds.ToString("F3", CultureInfo.InvariantCulture)));
                suite.Add(element);
                passed += thrown == null ? 1 : 0;
                if (thrown != null)
                {
                    failed++;
                    string kind = thrown is AssertionException ? "failure" : "error";
                    element.Add(new XElement(kind, new XAttribute("message", thrown.Message), thrown.ToString()));
                    Console.WriteLine($"FAILED {type.FullName}.{name}\n{thrown}\n");
                }
            }

            if (options["--report"].Length > 0)
            {
                Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(options["--report"]))!);
                new XDocument(suite).Save(options["--report"]);
            }

            Console.WriteLine($"{tests.GetName().Name}: {passed} passed, {failed} failed");
            return failed == 0 && passed > 0 ? 0 : 1;
        }

        private static Exception? RunOnThread(Type type, MethodInfo method, object[] arguments, int timeout)
        {
            Exception? thrown = null;
            void Work()
            {
                try
                {
                    object instance = Activator.CreateInstance(type)!;
                    using (instance as IDisposable)
                    {
                        (method.Invoke(instance, arguments) as Task)?.GetAwaiter().GetResult();
                    }
                }
                catch (Exception exception)
                {
                    thrown = (exception as TargetInvocationException)?.InnerException ?? exception;
                }
            }

            var thread = new Thread(Work) { IsBackground = true, Name = $"{type.Name}#{method.Name}" };
            thread.Start();
            return thread.Join(timeout) ? thrown : new AssertionException($"did not end within {timeout} ms");
        }
    }
}
