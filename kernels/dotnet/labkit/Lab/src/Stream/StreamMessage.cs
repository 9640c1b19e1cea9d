using System.Collections.Generic;
using System.Linq;
using System.Text.Json;

namespace Perflab.Lab.Stream
{
    /// <summary>
    /// A line that <c>./lab ... --stream</c> prints, see docs/protocol.md, "The stream between perflab and a notebook". Fields that its
    /// type does not have are empty.
    /// </summary>
    internal sealed class StreamMessage
    {
        private readonly JsonElement _json;

        private StreamMessage(JsonElement json, string type)
        {
            _json = json;
            Type = type;
        }

        /// <summary><c>progress</c>, <c>note</c>, <c>display</c>, <c>result</c> or <c>error</c>.</summary>
        public string Type { get; }

        /// <summary>What is done, what is remarked, or what is wrong.</summary>
        public string Text => Field("text") ?? Field("message") ?? "";

        public string Hint => Field("hint") ?? "";

        public int? Exit => _json.TryGetProperty("exit", out var exit) && exit.TryGetInt32(out var status) ? status : (int?)null;

        /// <summary>How far the command is, from 0 to 1.</summary>
        public double Done => System.Math.Clamp(Number("done") ?? 0, 0, 1);

        public double? SecondsLeft => Number("seconds_left");

        /// <summary>What a command returned.</summary>
        public JsonElement Data => _json.TryGetProperty("data", out var data) ? data : default;

        /// <summary>A bundle's texts by MIME type, JSON as it is written.</summary>
        public IReadOnlyDictionary<string, string> Bundle => Data.ValueKind != JsonValueKind.Object
            ? new Dictionary<string, string>()
            : Data.EnumerateObject().ToDictionary(
                one => one.Name,
                one => one.Value.ValueKind == JsonValueKind.String ? one.Value.GetString() : one.Value.GetRawText());

        /// <summary>The message in a line, or null where it is none: a stray print, say, or a type of a later protocol.</summary>
        public static StreamMessage? Parse(string line)
        {
            try
            {
                var json = JsonDocument.Parse(line).RootElement;
                return json.ValueKind == JsonValueKind.Object
                    && json.TryGetProperty("type", out var type) && type.ValueKind == JsonValueKind.String
                    && IsKnown(type.GetString())
                    ? new StreamMessage(json, type.GetString())
                    : null;
            }
            catch (JsonException)
            {
                return null;
            }
        }

        private static bool IsKnown(string type) =>
            type == "progress" || type == "note" || type == "display" || type == "result" || type == "error";

        private string? Field(string name) =>
            _json.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;

        private double? Number(string name) =>
            _json.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.Number
                ? value.GetDouble()
                : (double?)null;
    }
}
