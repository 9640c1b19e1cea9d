using System;
using System.Globalization;
using System.Xml.Linq;

namespace Perflab.Testing
{
    /// <summary>JUnit's XML, the form that <c>perflab</c> reads as evidence for a claim.</summary>
    internal sealed class JUnitReport
    {
        private readonly XElement _suite;

        public JUnitReport(string name) => _suite = new XElement("testsuite", new XAttribute("name", name));

        public void Add(TestCase test, TimeSpan duration, Exception? thrown)
        {
            var element = new XElement(
                "testcase",
                new XAttribute("classname", test.ClassName),
                new XAttribute("name", test.Name),
                new XAttribute("time", duration.TotalSeconds.ToString("F3", CultureInfo.InvariantCulture)));
            if (test.Skip != null)
            {
                element.Add(new XElement("skipped", new XAttribute("message", test.Skip)));
            }
            else if (thrown != null)
            {
                string kind = thrown is AssertionException ? "failure" : "error";
                element.Add(new XElement(kind, new XAttribute("message", thrown.Message), thrown.ToString()));
            }

            _suite.Add(element);
        }

        public void Save(string path) => new XDocument(_suite).Save(path);
    }
}
