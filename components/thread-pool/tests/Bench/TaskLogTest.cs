using System;
using System.Linq;
using System.Runtime.InteropServices;
using Perflab.Testing;

namespace Perflab.ThreadPools.Measured
{
    public sealed class TaskLogTest
    {
        private const int Line = 64;

        [Fact]
        public void NoTwoTasksShareACacheLineWhereverTheArrayBegins()
        {
            int size = Marshal.SizeOf<TaskLog.Entry>();
            int used = typeof(TaskLog.Entry).GetFields().Max(
                field => (int)Marshal.OffsetOf<TaskLog.Entry>(field.Name) + Marshal.SizeOf(field.FieldType));
            for (int start = 0; start < Line; start += IntPtr.Size)
            {
                int last = (start + used - 1) / Line;
                int next = (start + size) / Line;
                Assert.True(last < next, $"both are in line {last} of an array that begins {start} bytes into a line");
            }
        }
    }
}
