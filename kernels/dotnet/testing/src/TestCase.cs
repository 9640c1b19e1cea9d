using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;

namespace Perflab.Testing
{
    /// <summary>A test method with its arguments.</summary>
    internal sealed class TestCase
    {
        private readonly MethodInfo _method;
        private readonly object[] _arguments;
        private readonly FactAttribute _fact;

        private TestCase(MethodInfo method, object[] arguments, FactAttribute fact)
        {
            _method = method;
            _arguments = arguments;
            _fact = fact;
        }

        /// <summary>The class's full name, as JUnit's reports have it; nested classes behind a dot.</summary>
        public string ClassName => Class.FullName!.Replace('+', '.');

        /// <summary>The method, and its arguments in parentheses if it has any.</summary>
        public string Name =>
            _arguments.Length == 0 ? _method.Name : $"{_method.Name}({string.Join(", ", _arguments)})";

        /// <summary>How the command line names it; the cases of a theory share this name.</summary>
        public string FilterName => $"{Class.Name}#{_method.Name}";

        public string? Skip => _fact.Skip;

        public IEnumerable<string> Categories =>
            _method.GetCustomAttributes<CategoryAttribute>()
                .Concat(Class.GetCustomAttributes<CategoryAttribute>())
                .Select(category => category.Name);

        // Of the class that is instantiated, not of an abstract one that declares the method: contract suites inherit.
        private Type Class => _method.ReflectedType!;

        /// <summary>All tests of an assembly, in the order of their names.</summary>
        public static IEnumerable<TestCase> In(Assembly assembly) =>
            from type in assembly.GetExportedTypes()
            where type.IsClass && !type.IsAbstract
            from method in type.GetMethods()
            let fact = method.GetCustomAttribute<FactAttribute>()
            where fact != null
            orderby type.FullName, method.Name
            from arguments in fact is TheoryAttribute
                ? method.GetCustomAttributes<InlineDataAttribute>().Select(data => data.Arguments)
                : new[] { Array.Empty<object>() }
            select new TestCase(method, arguments, fact);

        /// <summary>Runs the test on a thread of its own.</summary>
        /// <returns>What went wrong, or null.</returns>
        public Exception? Run()
        {
            Exception? thrown = null;
            var thread = new Thread(() => thrown = Thrown()) { IsBackground = true, Name = FilterName };
            thread.Start();
            return thread.Join(_fact.Timeout)
                ? thrown
                : new AssertionException($"did not end within {_fact.Timeout} ms; its thread was left behind");
        }

        private Exception? Thrown()
        {
            try
            {
                object instance = Activator.CreateInstance(Class)!;
                using (instance as IDisposable)
                {
                    if (_method.Invoke(instance, _arguments) is Task task)
                    {
                        task.GetAwaiter().GetResult();
                    }
                }

                return null;
            }
            catch (TargetInvocationException wrapped) when (wrapped.InnerException != null)
            {
                return wrapped.InnerException;
            }
            catch (Exception thrown)
            {
                return thrown;
            }
        }
    }
}
