using System.Collections.Generic;
using System.Text.Json;

namespace Perflab.RoslynKernel.Language
{
    /// <summary>What could stand between two positions, and what each of it is.</summary>
    internal sealed class CompletionList
    {
        public CompletionList(int start, int end, IReadOnlyList<(string Text, string Kind)> items)
        {
            Start = start;
            End = end;
            Items = items;
        }

        public int Start { get; }

        public int End { get; }

        public IReadOnlyList<(string Text, string Kind)> Items { get; }

        public void WriteTo(Utf8JsonWriter json)
        {
            json.WriteNumber("start", Start);
            json.WriteNumber("end", End);
            json.WriteStartArray("items");
            foreach (var (text, kind) in Items)
            {
                json.WriteStartObject();
                json.WriteString("text", text);
                json.WriteString("kind", kind);
                json.WriteEndObject();
            }
            json.WriteEndArray();
        }
    }
}
