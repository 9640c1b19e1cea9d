using System;
using System.Buffers.Binary;
using System.IO;
using System.IO.Pipes;
using System.Runtime.InteropServices;
using System.Text.Json;
using Microsoft.Win32.SafeHandles;
using Perflab.RoslynKernel.Execution;

namespace Perflab.RoslynKernel.Wire
{
    /// <summary>
    /// Frames on two pipes that the parent process has opened: four bytes of length, little-endian, then that many bytes
    /// of JSON. Standard output is no part of it, so that nothing a cell or a native library prints can break a frame.
    /// </summary>
    internal sealed class Pipe : IDisposable
    {
        // fcntl.h
        private const int SetFlags = 2;
        private const int CloseOnExec = 1;

        private readonly Stream _requests;
        private readonly Stream _replies;

        public Pipe(string requests, string replies)
        {
            _requests = new BufferedStream(Open(PipeDirection.In, requests));
            _replies = Open(PipeDirection.Out, replies);
        }

        /// <summary>The next request, or null if the parent has closed the pipe.</summary>
        public Request? Read()
        {
            var header = new byte[sizeof(int)];
            if (!Fill(header))
            {
                return null;
            }
            var body = new byte[BinaryPrimitives.ReadInt32LittleEndian(header)];
            return Fill(body) ? new Request(JsonDocument.Parse(body).RootElement) : (Request?)null;
        }

        /// <summary>Writes one frame; blocks while the parent does not read, which holds back a cell that prints too fast.</summary>
        public void Write(Action<Utf8JsonWriter> fields)
        {
            using var body = new MemoryStream();
            body.Write(new byte[sizeof(int)], 0, sizeof(int));
            using (var json = new Utf8JsonWriter(body))
            {
                json.WriteStartObject();
                fields(json);
                json.WriteEndObject();
            }
            BinaryPrimitives.WriteInt32LittleEndian(body.GetBuffer(), (int)body.Length - sizeof(int));
            // Half a frame would be the end of the conversation.
            Uninterruptible.Run(() =>
            {
                _replies.Write(body.GetBuffer(), 0, (int)body.Length);
                _replies.Flush();
            });
        }

        public void Dispose()
        {
            _requests.Dispose();
            _replies.Dispose();
        }

        // .NET neither closes nor marks what it was started with. A child that a cell starts would hold the pipe open, and the
        // parent would not see that this process has ended before the child has, too.
        private static AnonymousPipeClientStream Open(PipeDirection direction, string descriptor)
        {
            var stream = new AnonymousPipeClientStream(direction, descriptor);
            if (fcntl(stream.SafePipeHandle, SetFlags, CloseOnExec) < 0)
            {
                throw new IOException($"descriptor {descriptor} cannot be kept from child processes");
            }
            return stream;
        }

        [DllImport("libc")]
        private static extern int fcntl(SafePipeHandle descriptor, int command, int flags);

        private bool Fill(byte[] buffer)
        {
            for (var filled = 0; filled < buffer.Length;)
            {
                var count = _requests.Read(buffer, filled, buffer.Length - filled);
                if (count == 0)
                {
                    return false;
                }
                filled += count;
            }
            return true;
        }
    }

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
