"""The parts of the C# kernel's Python half, without a C# process."""

from __future__ import annotations

import io
import json
import stat
from pathlib import Path

import pytest

from perflab.host.dotnet import Sdk
from perflab.kernels import csharp, kernel
from perflab.kernels.registry import ensure, installed
from perflab.model.errors import MissingError
from perflab_kernels.csharp.kernel import from_utf16, to_utf16
from perflab_kernels.csharp.process import read_frame, write_frame
from perflab_kernels.proxy import Pace, TextLimit

SDK = Sdk(Path("/opt/dotnet"), "9.0.100", "9.0.0")
FETCHED = Sdk(Path("/cache/dotnet"), "3.1.102", "8.0.4", fetched=True)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One with an SDK, on which the kernel is built, and without .NET Interactive."""
    monkeypatch.setattr(kernel, "JUPYTER_DIR", tmp_path)
    monkeypatch.setattr(csharp, "_CHOICE_FILE", tmp_path / "choice")
    monkeypatch.setattr(csharp, "_TOOLS", tmp_path / "tools")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("find_sdk", "require_sdk", "provide_sdk"):
        monkeypatch.setattr(csharp, name, lambda *_: SDK)
    monkeypatch.setattr(csharp.CSharpKernel, "is_built", lambda _: True)
    return tmp_path


def add_interactive(machine: Path) -> Path:
    program = machine / "bin" / "dotnet-interactive"
    program.parent.mkdir()
    program.touch()
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def written(machine: Path) -> kernel.Spec:
    found: kernel.Spec = json.loads((machine / "kernels" / ".net-csharp" / "kernel.json").read_text())
    return found


def test_dotnet_interactive_is_taken_only_if_it_was_chosen(machine: Path) -> None:
    program = add_interactive(machine)
    ensure(".net-csharp")
    assert written(machine)["argv"][1:4] == ["-P", "-m", "perflab_kernels.csharp"]
    csharp.choose("interactive")
    ensure(".net-csharp")
    assert written(machine)["argv"][:4] == [str(program), "jupyter", "--default-kernel", "csharp"]
    assert csharp.CSharpKernel().version() == f".NET Interactive in {program.parent}"


def test_dotnet_interactive_runs_on_a_runtime_that_loads_what_the_sdk_builds() -> None:
    program = Path("/tools/dotnet-interactive")
    assert csharp.interactive_spec(program, SDK)["env"]["DOTNET_ROOT"] == "/opt/dotnet"
    assert csharp.interactive_spec(program, SDK)["env"]["DOTNET_ROLL_FORWARD"] == "LatestMajor"
    assert "DOTNET_ROOT" not in csharp.interactive_spec(program, FETCHED)["env"]


def test_the_labkit_is_built_with_the_compiler_that_is_loaded_with_it(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = add_interactive(machine).parent / ".store/microsoft.dotnet-interactive/1.0/tools/net9.0/any"
    folder.mkdir(parents=True)
    (folder / "Microsoft.CodeAnalysis.CSharp.dll").touch()
    monkeypatch.setattr(csharp, "_STAMP", machine / "built")
    monkeypatch.setattr(csharp, "_PROJECTS", {csharp.LABKIT: machine / "Perflab.Lab.dll"})
    built: list[list[str]] = []

    def run_build(command: list[str], *_: object) -> None:
        built.append(command)
        (machine / "Perflab.Lab.dll").touch()

    monkeypatch.setattr(csharp, "run_build", run_build)
    csharp.build(SDK)
    assert not any("RoslynFolder" in word for word in built[-1])
    csharp.choose("interactive")
    assert not csharp.host_build(SDK).is_current()
    csharp.build(SDK)
    assert built[-1][-1] == f"-p:RoslynFolder={folder}"


def test_a_choice_holds_until_the_next_one(machine: Path) -> None:
    program = add_interactive(machine)
    kernel = csharp.CSharpKernel()
    csharp.choose("interactive")
    ensure(".net-csharp")
    assert written(machine)["argv"][0] == str(program)
    csharp.choose("lab")
    assert not kernel.is_installed()
    ensure(".net-csharp")
    assert written(machine)["argv"][3] == "perflab_kernels.csharp"


def test_a_choice_that_cannot_be_had_says_how_to_get_it(machine: Path) -> None:
    csharp.choose("interactive")
    with pytest.raises(MissingError, match=r"\.NET Interactive is not on this machine"):
        ensure(".net-csharp")
    (status,) = [one for one in installed() if one.name == ".net-csharp"]
    assert "conda install dotnet-interactive" in status.fix
    assert list(machine.glob("kernels/*")) == []


def test_a_frame_survives_the_pipe() -> None:
    pipe = io.BytesIO()
    messages = [{"code": "\u00e9\U0001f600\n"}, {}]
    for message in messages:
        write_frame(pipe, message)
    pipe.seek(0)
    assert [read_frame(pipe), read_frame(pipe), read_frame(pipe)] == [*messages, None]


@pytest.mark.parametrize("kept", [1, 3, 4, 5])
def test_half_a_frame_is_the_end(kept: int) -> None:
    pipe = io.BytesIO()
    write_frame(pipe, {"a": 1})
    assert read_frame(io.BytesIO(pipe.getvalue()[:kept])) is None


@pytest.mark.parametrize(
    ("text", "position", "units"), [("abc", 2, 2), ("\U0001f600b", 1, 2), ("\U0001f600b", 2, 3), ("", 0, 0)]
)
def test_positions_there_and_back(text: str, position: int, units: int) -> None:
    assert to_utf16(text, position) == units
    assert from_utf16(text, units) == position


def test_text_is_let_through_up_to_the_limit_and_then_one_note() -> None:
    limit = TextLimit(10)
    assert [limit.take("12345"), limit.take("67890")] == ["12345", "67890"]
    assert limit.take("x") == "\n[more than 10 characters: the rest is left out]\n"
    assert limit.take("y") == ""
    limit.reset()
    assert limit.take("z") == "z"


def test_only_what_exceeds_a_burst_waits() -> None:
    # So slow a pace that what passes meanwhile is no part of a message.
    pace = Pace(burst=3, per_second=20)
    waits = [pace.keep() for _ in range(5)]
    assert waits[:3] == [0, 0, 0]
    assert waits[3] > 0
    assert waits[4] > 0
