using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;

namespace Perflab.Lab
{
    /// <summary>A command failed. Notebooks show its message without a stack.</summary>
    public sealed class LabException : Exception
    {
        internal LabException(string text, string hint = "", int exitStatus = 4)
            : base(hint.Length == 0 ? text : $"{text}\n  hint: {hint}")
        {
            (Text, Hint, ExitStatus) = (text, hint, exitStatus);
            Data["perflab.message-only"] = true; // read by the lab's own kernel
        }

        /// <summary>What is wrong.</summary>
        public string Text { get; }

        /// <summary>What to do about it; may be empty.</summary>
        public string Hint { get; }

        /// <summary>The exit status of <c>./lab</c>; 130 after an interrupt.</summary>
        public int ExitStatus { get; }
    }

    /// <summary>The result of a command: what <c>./lab COMMAND --json</c> prints.</summary>
    /// <example><c>lab.Describe("thread-pool")["variants", 0, "name"].Text</c></example>
    [TypeFormatterSource(typeof(TextFormatters))]
    public sealed class LabResult
    {
        private static readonly JsonSerializerOptions s_pretty = new JsonSerializerOptions { WriteIndented = true };

        private readonly bool _shown;

        internal LabResult(JsonElement json, int exitStatus = 0, bool shown = false) =>
            (Json, ExitStatus, _shown) = (json, exitStatus, shown);

        /// <summary>The JSON.</summary>
        public JsonElement Json { get; }

        /// <summary>The exit status of <c>./lab</c>.</summary>
        public int ExitStatus { get; }

        /// <summary>A text, number or boolean as text; null for all else.</summary>
        public string? Text => Json.ValueKind switch
        {
            JsonValueKind.String => Json.GetString(),
            JsonValueKind.Number => Json.GetRawText(),
            JsonValueKind.True => "true",
            JsonValueKind.False => "false",
            _ => null,
        };

        /// <summary>A number, or null.</summary>
        public double? Number => Json.ValueKind == JsonValueKind.Number ? Json.GetDouble() : (double?)null;

        /// <summary>The elements of an array; none of all else.</summary>
        public IReadOnlyList<LabResult> List => Json.ValueKind == JsonValueKind.Array
            ? Json.EnumerateArray().Select(one => new LabResult(one)).ToList()
            : new List<LabResult>();

        /// <summary>The run's id, for commands that leave one.</summary>
        public string? Id => this["id"].Text ?? this["run"].Text ?? this["run", "id"].Text;

        /// <summary>The value at a path of keys and indices; an undefined one if there is none.</summary>
        public LabResult this[params object[] path] => new LabResult(path.Aggregate(Json, Step));

        /// <summary>The JSON, or nothing where the command has shown its figures.</summary>
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
