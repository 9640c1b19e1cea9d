using System.Text.Json;

namespace Perflab.RoslynKernel.Wire
{
    /// <summary>What the Python half asks for; positions count UTF-16 units, as C# does.</summary>
    internal readonly struct Request
    {
        private readonly JsonElement _fields;

        public Request(JsonElement fields) => _fields = fields;

        /// <summary><c>execute</c>, <c>complete</c>, <c>interrupt</c> or <c>input</c>.</summary>
        public string Kind => _fields.GetProperty("kind").GetString() ?? "";

        public int Id => _fields.GetProperty("id").GetInt32();

        public string Code => _fields.GetProperty("code").GetString() ?? "";

        public int Cursor => _fields.GetProperty("cursor").GetInt32();

        /// <summary>What the reader has typed; null at the end of the input.</summary>
        public string? Line => _fields.GetProperty("line").GetString();

        /// <summary>Why the reader cannot be asked; null if that is no matter.</summary>
        public string? Refusal => _fields.GetProperty("refusal").GetString();

        /// <summary>The number that the notebook shows beside the cell.</summary>
        public int Number => _fields.GetProperty("number").GetInt32();
    }
}
