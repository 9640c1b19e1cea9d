using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

namespace Perflab.Lab.Variants
{
    /// <summary>Makes plug-ins from what a reader wrote in cells: source, assembly, contract.</summary>
    internal sealed class PluginFactory
    {
        private const int FingerprintBytes = 6;

        private readonly Checkout _checkout;
        private readonly CommandRunner _commands;
        private readonly string _component;

        public PluginFactory(Checkout checkout, CommandRunner commands, string component)
        {
            _checkout = checkout;
            _commands = commands;
            _component = component;
        }

        /// <summary>From the cell that defines the type.</summary>
        public Plugin FromCell(Type type)
        {
            var cells = CellSource.Cells;
            var code = CellSource.Declaring(type.Name, cells) ?? throw new LabException(
                $"no cell is known that declares the class {type.Name}",
                "pass its source as text: lab.Variant(\"public class ...\")",
                2);
            return Make(type.Name, code, cells);
        }

        /// <summary>From source in the running cell.</summary>
        public Plugin FromText(string source) => Make("the source", source, CellSource.Cells);

        private Plugin Make(string subject, string code, IReadOnlyList<string> cells)
        {
            var compiler = new PluginCompiler(Assemblies());
            var source = new CellSource(code, cells, compiler.Knows);
            var folder = Path.Combine(_checkout.Generated, "plugins");
            Directory.CreateDirectory(folder);
            // A name by content: the assembly of an earlier attempt may be in use by a measurement.
            var target = Path.Combine(folder, $"plugin-{Fingerprint(source.Text)}.dll");
            compiler.Compile(source, subject, target);
            return Checked(subject, target);
        }

        private IEnumerable<string> Assemblies()
        {
            var paths = _commands.Ask("describe", _component)["plugin", "classpath"].List;
            return paths.Count > 0 ? paths.Select(one => one.Text!) : throw new LabException(
                $"{_component} takes no variants of your own: its component.toml has no [plugin] classpath", "", 2);
        }

        /// <summary>Runs the component's contract suite on the plug-in.</summary>
        private Plugin Checked(string subject, string path)
        {
            var result = _commands.Run("check", _component, options => options.Option("plugin", path));
            var checks = result["checks"].List;
            var failed = checks.Where(one => one["passed"].Text != "true").ToList();
            if (failed.Count > 0 || result.ExitStatus != 0)
            {
                var lines = failed.Select(one => $"\n  FAILED  {one["name"].Text}: {one["message"].Text}");
                throw new LabException(
                    $"{subject} breaks the contract of {_component}{string.Concat(lines)}", "a fast wrong answer is no answer");
            }
            return new Plugin(_component, Distinct(checks, "variant"), Distinct(checks, "name"), path);
        }

        private static IReadOnlyList<string> Distinct(IEnumerable<LabResult> checks, string key) =>
            checks.Select(one => one[key].Text).OfType<string>().Distinct().ToList();

        private static string Fingerprint(string text)
        {
            using var sha = SHA256.Create();
            var hash = sha.ComputeHash(Encoding.UTF8.GetBytes(text));
            return BitConverter.ToString(hash, 0, FingerprintBytes).Replace("-", "").ToLowerInvariant();
        }
    }
}
