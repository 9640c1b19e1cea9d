using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Perflab.ThreadPools.Lab
{
    /// <summary>
    /// Sleeps on Linux's futex: one system call to sleep, one to wake, none if the wake-up comes first.
    /// </summary>
    /// <remarks>
    /// <code>
    ///   Awake --Park--> Asleep --Unpark--> Woken --Park returns--> Awake
    ///   Awake --Unpark-----------------------^
    /// </code>
    /// <para><b>No wake-up is lost.</b> All transitions are Interlocked operations on one word, and the kernel compares
    /// the word with Asleep in one step with putting the thread to sleep: an Unpark either finds Asleep and calls the
    /// kernel, which finds the thread, or has changed the word before, and the thread does not sleep. Returns without a
    /// reason (signals) find Asleep and sleep on.</para>
    /// <para>.NET's own events and monitors go through a mutex and a condition of pthread besides.
    /// A thread in a system call is no obstacle to the collector.</para>
    /// </remarks>
    internal sealed class FutexParker : Parker
    {
        private const int Awake = 0;
        private const int Woken = 1;
        private const int Asleep = -1;

        // linux/futex.h: operations for a word that other processes do not share
        private const long FutexWaitPrivate = 128;
        private const long FutexWakePrivate = 129;

        // asm/unistd.h: the number of the call futex
        private const long FutexOnX64 = 202;
        private const long FutexOnArm64 = 98;

        private static readonly long s_futexCall =
            RuntimeInformation.ProcessArchitecture == Architecture.X64 ? FutexOnX64 : FutexOnArm64;

        /// <summary>Pinned for as long as the parker lives, so that the kernel and the collector agree where the word
        /// is. Alone on its cache lines.</summary>
        private readonly int[] _words = new int[2 * CacheLine.Size / sizeof(int)];

        private readonly IntPtr _address;
        private GCHandle _pin;

        internal FutexParker()
        {
            _pin = GCHandle.Alloc(_words, GCHandleType.Pinned);
            _address = Marshal.UnsafeAddrOfPinnedArrayElement(_words, Middle);
        }

        ~FutexParker() => _pin.Free();

        internal static bool IsSupported { get; } =
            RuntimeInformation.IsOSPlatform(OSPlatform.Linux)
            && (RuntimeInformation.ProcessArchitecture == Architecture.X64
                || RuntimeInformation.ProcessArchitecture == Architecture.Arm64);

        private static int Middle => CacheLine.Size / sizeof(int);

        private ref int Word => ref _words[Middle];

        internal override void Park()
        {
            if (Interlocked.CompareExchange(ref Word, Asleep, Awake) == Awake)
            {
                do
                {
                    Futex(s_futexCall, _address, FutexWaitPrivate, Asleep, IntPtr.Zero);
                }
                while (Volatile.Read(ref Word) == Asleep);
            }

            Interlocked.Exchange(ref Word, Awake);
        }

        internal override void Unpark()
        {
            if (Interlocked.Exchange(ref Word, Woken) == Asleep)
            {
                Futex(s_futexCall, _address, FutexWakePrivate, 1, IntPtr.Zero);
            }

            GC.KeepAlive(this);
        }

        /// <remarks>
        /// libc's syscall reads six registers whatever the number of arguments. Its error is of no interest: to be
        /// interrupted and to find another value are answered by another look at the word.
        /// </remarks>
        [DllImport("libc", EntryPoint = "syscall")]
        private static extern long Futex(long number, IntPtr word, long operation, long value, IntPtr timeout);
    }
}
