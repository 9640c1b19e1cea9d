using System;
using System.Buffers.Binary;
using System.IO;
using System.IO.Pipes;
using System.Text.Json;
using Perflab.RoslynKernel.Execution;

namespace Perflab.RoslynKernel.Wire
{
    /// <summary>
    /// Frames on two pipes that the parent process has opened: four bytes of length, little-endian, then that many bytes
    /// of JSON. Standard output is no part of it, so that nothing a cell or a native library prints can break a frame.
    /// </summary>
    internal sealed class Pipe : IDisposable
    {
        private readonly Stream _requests;
        private readonly Stream _replies;

        public Pipe(string requests, string replies)
        {
            _requests = new BufferedStream(new AnonymousPipeClientStream(PipeDirection.In, requests));
            _replies = new AnonymousPipeClientStream(PipeDirection.Out, replies);
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
}
