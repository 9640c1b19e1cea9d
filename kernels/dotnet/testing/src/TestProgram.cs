using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;

namespace Perflab.Testing
{
    /// <summary>
    /// Runs the tests of an assembly, one after the other, and prints the ones that fail and the counts.
    /// </summary>
    /// <remarks>
    /// The lab brings its own because no test library for .NET can be had from the package registries that every
    /// machine of the lab reaches. Attributes and assertions are named as xunit names them, so that moving to it takes
    /// a namespace.
    /// </remarks>
    public static class TestProgram
    {
        /// <summary>The body of a test project's <c>Main</c>.</summary>
        /// <returns>0 if all tests passed; 1 if one failed or none was selected; 2 for a command line that is
        /// wrong.</returns>
        public static int Run(Assembly assembly, string[] args)
        {
            try
            {
                return Run(assembly, new TestOptions(args));
            }
            catch (ArgumentException problem)
            {
                Console.Error.WriteLine(problem.Message);
                return 2;
            }
        }

        private static int Run(Assembly assembly, TestOptions options)
        {
            List<TestCase> all = TestCase.In(assembly).ToList();
            string[] unmatched = options.Unmatched(all).ToArray();
            if (unmatched.Length > 0 && !all.Any(options.Selects))
            {
                throw new ArgumentException($"there is no test '{unmatched[0]}'");
            }

            string name = assembly.GetName().Name!;
            var report = new JUnitReport(name);
            int passed = 0, failed = 0, skipped = 0;
            foreach (TestCase test in all.Where(options.Selects))
            {
                var clock = Stopwatch.StartNew();
                Exception? thrown = test.Skip == null ? test.Run() : null;
                report.Add(test, clock.Elapsed, thrown);
                if (test.Skip != null)
                {
                    skipped++;
                }
                else if (thrown == null)
                {
                    passed++;
                }
                else
                {
                    failed++;
                    Console.WriteLine($"FAILED {test.ClassName}.{test.Name}\n{thrown}\n");
                }
            }

            if (options.Report != null)
            {
                Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(options.Report))!);
                report.Save(options.Report);
            }

            Console.WriteLine(
                $"{name}: {passed} passed, {failed} failed" + (skipped > 0 ? $", {skipped} skipped" : ""));
            return failed == 0 && passed > 0 ? 0 : 1;
        }
    }
}
