"""The Rust kernel speaks Jupyter's protocol, as Jupyter's own test suite for kernels has it."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

import jupyter_kernel_test
import pytest
from rustkernel import install, started

pytestmark = pytest.mark.notebook


class TestRustKernel(jupyter_kernel_test.KernelTests):
    kernel_name = "rust"
    language_name = "Rust"
    file_extension = ".rs"

    code_hello_world = 'println!("hello, world");'
    code_stderr = 'eprintln!("oh no");'
    code_generate_error = "let broken: u32 = true;"
    code_execute_result: ClassVar[list[dict[str, Any]]] = [{"code": "6 * 7", "result": "42"}]
    completion_samples: ClassVar[list[dict[str, Any]]] = [{"text": "std::collections::HashM", "matches": {"HashMap"}}]
    complete_code_samples: ClassVar[list[str]] = ["1 + 1", "fn f() {}"]

    # evcxr calls every cell complete and keeps no history; Rust cells page nothing and clear nothing.
    test_pager = None
    test_clear_output = None
    test_recv_iopub_welcome_msg = None

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = ExitStack()
        folder = Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        cls.km, cls.kc = cls.stack.enter_context(started(install(folder), folder))

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()
