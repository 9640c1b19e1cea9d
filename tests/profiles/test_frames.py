from __future__ import annotations

import pytest

from perflab.profile.frames import VIRTUAL_THREAD, clean, kind, short


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("java/util/concurrent/locks/ReentrantLock$Sync.lock", "java.util.concurrent.locks.ReentrantLock$Sync.lock"),
        ("Contention$$Lambda.0x0000000074040210.run_[0]", "Contention.<lambda>.run"),
        ("Contention$$Lambda/0x00007f1234.run", "Contention.<lambda>.run"),
        ("Contention.lambda$main$0_[j]", "Contention.main.<lambda>"),
        ("byte[]_[i]", "byte[]"),
        ("java.lang.Object_[i]", "java.lang.Object"),
        ("do_syscall_64_[k]", "do_syscall_64 [kernel]"),
        ("finish_task_switch.isra.0_[k]", "finish_task_switch [kernel]"),
        ("__new_sem_wait_slow64.constprop.0", "__new_sem_wait_slow64"),
        ("clock_gettime@@GLIBC_2.17", "clock_gettime"),
        ("broker::publish::h0123456789abcdef", "broker::publish"),
        ("lab::broker::publish::{{closure}}::h0123456789abcdef", "lab::broker::publish::{closure}"),
        ("lab::broker::publish::<lab::Inbox<alloc::vec::Vec<u8>>>::{closure#1}", "lab::broker::publish::{closure}"),
        ("<lab::Inbox<Vec<u8>> as lab::Subscriber>::deliver", "<lab::Inbox<Vec<u8>> as lab::Subscriber>::deliver"),
        ("lab::run::<fn(u8) -> u8, ()>", "lab::run"),
        ("<lab::Actor>::spawn::<T>::{async_block#0}::{shim:vtable#0}", "<lab::Actor>::spawn::{closure}"),
        ("lab[0123456789abcdef]::main", "lab::main"),
        (
            "std::vector<int, std::allocator<int> >::push_back(int&&)",
            "std::vector<int, std::allocator<int> >::push_back(int&&)",
        ),
        ("[unknown]", "[unknown]"),
    ],
)
def test_a_name_is_readable_and_the_same_in_every_process(raw: str, cleaned: str) -> None:
    assert clean((raw,)) == (cleaned,)


MOUNTED = (
    "jdk/internal/vm/Continuation.enter",
    "jdk/internal/vm/Continuation.enter0",
    "java/lang/VirtualThread$VThreadContinuation$1.run",
    "java/lang/VirtualThread.run",
    "java/lang/Thread.runWith",
)


def test_a_virtual_thread_looks_alike_freshly_mounted_and_remounted() -> None:
    assert clean((*MOUNTED, "A.work")) == clean(("cont_returnBarrier", "A.work")) == (VIRTUAL_THREAD, "A.work")


def test_plumbing_is_left_out() -> None:
    stack = ("clone3", "start_thread", "java/lang/invoke/LambdaForm$MH.0x0000.invoke", "A.work")
    assert clean(stack) == ("A.work",)


@pytest.mark.parametrize(
    "frame",
    [
        "std::sys::backtrace::__rust_begin_short_backtrace",
        "std::sys::backtrace::__rust_begin_short_backtrace::<lab::main::{closure#1}, ()>",
        "<std::sys::thread::unix::Thread>::new::thread_start",
        "core::ops::function::FnOnce::call_once{{vtable.shim}}",
        "<lab::spawn<F, ()>::{closure#1} as core::ops::function::FnOnce<()>>::call_once::{shim:vtable#0}",
        "std::rt::lang_start::<()>::{closure#0}",
        "std::rt::lang_start_internal",
        "std::panicking::try",
        "malloc_hook",
        "perflab_timed_begin",
    ],
)
def test_plumbing_of_rust_and_of_the_profiler_is_left_out(frame: str) -> None:
    assert clean(("lab::main", frame)) == ("lab::main",)


def test_a_stack_of_nothing_but_plumbing_keeps_its_innermost_frame() -> None:
    assert clean(("clone3", "start_thread")) == ("start_thread",)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("java.util.concurrent.locks.ReentrantLock$Sync.lock", "ReentrantLock$Sync.lock"),
        ("Contention.spin", "Contention.spin"),
        ("sequencer::merge(Epoch&, bool) const", "sequencer::merge"),
        ("(12 frames below 0.1 %)", "(12 frames below 0.1 %)"),
        ("do_futex [kernel]", "do_futex [kernel]"),
        ("<lab::Inbox<alloc::vec::Vec<u8>> as lab::Subscriber>::deliver", "<Inbox<Vec<u8>> as Subscriber>::deliver"),
        ("supervisor_lab::broker::Broker::publish::{closure}", "Broker::publish::{closure}"),
        ("tokio::runtime::task::harness::poll_future", "harness::poll_future"),
        (
            "lab::AnyBuffer::Model<lab::MutexBuffer<lab::Primitives> >::take(lab::Ref<void (std::span<int, 8ul>)>)",
            "AnyBuffer::Model<MutexBuffer<Primitives> >::take",
        ),
        (
            "void std::__merge<__gnu_cxx::__iterator<lab::Batch*, std::vector<lab::Batch> >, lab::Batch*>(lab::Batch*)",
            "std::__merge<__gnu_cxx::__iterator<…>, Batch*>",
        ),
        # valgrind cuts names off.
        ("void std::__merge<__gnu_cxx::__iterator<lab::Batch*, std::vector<lab::Batch, std::alloc", "std::__merge<…>"),
    ],
)
def test_the_short_form_keeps_class_and_method(name: str, cell: str) -> None:
    assert short(name) == cell


@pytest.mark.parametrize(
    ("name", "managed", "expected"),
    [
        ("org.example.Box.poll", True, "program"),
        ("java.util.ArrayList.add", True, "library"),
        ("ObjectMonitor::enter", True, "system"),
        ("sequencer::merge", False, "program"),
        ("critical_section", False, "program"),
        ("std::vector<int>::push_back", False, "library"),
        ("tokio::runtime::park::park", False, "library"),
        ("<tokio::sync::Semaphore>::release", False, "library"),
        ("<lab::Inbox<u8> as lab::Subscriber>::deliver", False, "program"),
        ("__lll_lock_wait", False, "system"),
        ("pthread_mutex_lock", False, "system"),
        ("do_futex [kernel]", True, "kernel"),
    ],
)
def test_whose_code_a_frame_is(name: str, managed: bool, expected: str) -> None:
    assert kind(name, managed=managed) == expected
