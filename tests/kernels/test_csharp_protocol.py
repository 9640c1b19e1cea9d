"""The lab's own C# kernel speaks Jupyter's protocol, as Jupyter's own test suite for kernels has it."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

import jupyter_kernel_test
import pytest
from csharpkernel import install, started

pytestmark = pytest.mark.notebook


class TestCSharpKernel(jupyter_kernel_test.KernelTests):
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
        {"code": 'display(HTML("<b>42</b>"));', "mime": "text/html"},
        {"code": '"{}".DisplayAs("application/json");', "mime": "application/json"},
    ]
    completion_samples: ClassVar[list[dict[str, Any]]] = [
        {"text": "Console.WriteL", "matches": {"WriteLine"}},
        {"text": "Console.Err", "matches": {"Error"}},
        {"text": "using System.Collections.Conc", "matches": {"Concurrent"}},
    ]
    code_history_pattern = "6 [*] 7"
    supported_history_operations = ("tail", "range", "search")

    # Of these two, C# cells have neither.
    test_pager = None
    test_clear_output = None
    # ipykernel's base class has no such message.
    test_recv_iopub_welcome_msg = None

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = ExitStack()
        folder = Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        cls.km, cls.kc = cls.stack.enter_context(started(install(folder), folder))

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stack.close()
