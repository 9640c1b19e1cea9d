"""The kernels speak Jupyter's protocol, as Jupyter's own test suite for kernels has it."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

import jupyter_kernel_test
import ownkernels
import pytest

pytestmark = pytest.mark.notebook


class _Protocol(jupyter_kernel_test.KernelTests):
    own: str

    # Cells page nothing and clear nothing, and ipykernel's base class has no such message.
    test_pager = None
    test_clear_output = None
    test_recv_iopub_welcome_msg = None

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = ExitStack()
        folder = Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        specs = ownkernels.install(cls.own, folder)
        cls.km, cls.kc = cls.stack.enter_context(ownkernels.started(cls.own, specs, folder))

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()


class TestCsharp(_Protocol):
    own = "csharp"
    kernel_name = ".net-csharp"
    language_name = "C#"
    file_extension = ".cs"

    code_hello_world = 'Console.WriteLine("hello, world");'
    code_stderr = 'Console.Error.WriteLine("oh no");'
    code_generate_error = 'throw new InvalidOperationException("oh no");'
    code_execute_result: ClassVar[list[dict[str, Any]]] = [
        {"code": "6 * 7", "result": "42"},
        {"code": "await Task.FromResult(6 * 7)", "result": "42"},
    ]
    code_display_data: ClassVar[list[dict[str, str]]] = [
        {"code": "display(42);", "mime": "text/plain"},
        {"code": '"{}".DisplayAs("application/json");', "mime": "application/json"},
    ]
    completion_samples: ClassVar[list[dict[str, Any]]] = [
        {"text": "Console.Err", "matches": {"Error"}},
        {"text": "using System.Collections.Conc", "matches": {"Concurrent"}},
    ]
    code_history_pattern = "6 [*] 7"
    supported_history_operations = ("tail", "range", "search")


class TestRust(_Protocol):
    own = "rust"
    kernel_name = "rust"
    language_name = "Rust"
    file_extension = ".rs"

    code_hello_world = 'println!("hello, world");'
    code_stderr = 'eprintln!("oh no");'
    code_generate_error = "let broken: u32 = true;"
    code_execute_result: ClassVar[list[dict[str, Any]]] = [{"code": "6 * 7", "result": "42"}]
    completion_samples: ClassVar[list[dict[str, Any]]] = [{"text": "std::collections::HashM", "matches": {"HashMap"}}]
    complete_code_samples: ClassVar[list[str]] = ["1 + 1", "fn f() {}"]


del _Protocol
