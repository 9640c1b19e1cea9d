using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using Perflab.Lab.Show;

namespace Perflab.Lab
{
    /// <summary>What a command returned, the same as <c>./lab COMMAND --json</c> prints.</summary>
    /// <example><c>lab.Describe("thread-pool")["variants", 0, "name"].Text</c></example>
    [TypeFormatterSource(typeof(TextFormatters), PreferredMimeTypes = new[] { TextFormatters.MimeType })]
    public sealed class LabResult
    {
        private static readonly JsonSerializerOptions s_pretty = new JsonSerializerOptions { WriteIndented = true };

        private readonly bool _shown;

        internal LabResult(JsonElement json, int exitStatus = 0, bool shown = false)
        {
            Json = json;
            ExitStatus = exitStatus;
            _shown = shown;
        }

        /// <summary>The whole of it.</summary>
        public JsonElement Json { get; }

        /// <summary>0, or 1 for a shortfall and 4 for a failure that the result tells of.</summary>
        public int ExitStatus { get; }

        /// <summary>It as text, or null if it is no text, number or boolean.</summary>
        public string? Text => Json.ValueKind switch
        {
            JsonValueKind.String => Json.GetString(),
            JsonValueKind.Number => Json.GetRawText(),
            JsonValueKind.True => "true",
            JsonValueKind.False => "false",
            _ => null,
        };

        /// <summary>It as a number, or null if it is none.</summary>
        public double? Number => Json.ValueKind == JsonValueKind.Number ? Json.GetDouble() : (double?)null;

        /// <summary>The elements of an array; none if it is no array.</summary>
        public IReadOnlyList<LabResult> List => Json.ValueKind == JsonValueKind.Array
            ? Json.EnumerateArray().Select(one => new LabResult(one)).ToList()
            : new List<LabResult>();

        /// <summary>The run's id, for commands that leave one: measure, noise, profile.</summary>
        public string? Id => this["id"].Text ?? this["run"].Text ?? this["run", "id"].Text;

        /// <summary>What is at a path of keys and indices; an undefined value if there is nothing.</summary>
        public LabResult this[params object[] path] => new LabResult(path.Aggregate(Json, Step));

        /// <summary>The JSON, or nothing where the command has already shown its figures.</summary>
        public override string ToString() => _shown ? ""
            : Text ?? (Json.ValueKind == JsonValueKind.Undefined ? "" : JsonSerializer.Serialize(Json, s_pretty));

        internal string RequireId() =>
            Id ?? throw new LabException("this result is of no run", "pass what lab.Measure returned", 2);

        private static JsonElement Step(JsonElement at, object step) => step switch
        {
            string key when at.ValueKind == JsonValueKind.Object && at.TryGetProperty(key, out var found) => found,
            int index when at.ValueKind == JsonValueKind.Array && index >= 0 && index < at.GetArrayLength() => at[index],
            _ => default,
        };
    }
}
