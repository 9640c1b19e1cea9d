using System;
using System.Collections.Generic;
using System.IO;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Perflab.Bench
{
    /// <summary>Writes JSON Lines, each as soon as it is complete.</summary>
    internal sealed class ProtocolWriter
    {
        // The lines go to a program, not into a web page: quotes and signs stay readable.
        private static readonly JsonSerializerOptions s_options =
            new JsonSerializerOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

        private readonly TextWriter _out;

        public ProtocolWriter(TextWriter @out) => _out = @out;

        /// <summary>How the protocol writes a value of an enumeration.</summary>
        public static string Name(Enum value) => value.ToString().ToLowerInvariant();

        /// <summary>A whole number without a fraction or an exponent, anything else as it is.</summary>
        public static object Shortest(double value)
        {
            const double LargestExactInteger = 1L << 53;
            return value == Math.Round(value) && Math.Abs(value) <= LargestExactInteger ? (object)(long)value : value;
        }

        public void Line(IDictionary<string, object> json)
        {
            _out.WriteLine(JsonSerializer.Serialize(json, s_options));
            _out.Flush();
        }

        public void Error(ErrorKind kind, string message, IReadOnlyList<string> allowed)
        {
            var line = new Dictionary<string, object>
            {
                ["type"] = "error",
                ["kind"] = Name(kind),
                ["message"] = message,
            };
            if (allowed.Count > 0)
            {
                line["allowed"] = allowed;
            }

            Line(line);
        }
    }
}
