"""The Rust labkit in a live kernel, on a stub of the launcher."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from rustkernel import install, started
from waiting import is_gone

from perflab.kernels.rust import dependencies
from perflab.model.errors import UsageError
from perflab.model.lab import CHECKOUT

from .conftest import Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.notebook

PLOTLY = "application/vnd.plotly.v1+json"

BEGIN = """\
:dep perflab-lab = { path = "../kernels/rust/labkit/perflab-lab" }
:dep toy-notebook = { path = "../components/toy/notebook" }
use perflab_lab::{Lab, Moment, Span};
use toy_notebook::toy_contract::Cup;
let lab = Lab::new()?;
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(Path(__file__).parent / "rust-checkout", folder, dirs_exist_ok=True)
    (folder / "kernels").symlink_to(CHECKOUT / "kernels")
    return folder


@pytest.fixture(scope="module")
def rust(place: Path) -> Iterator[Kernel]:
    """A kernel that has the lab; shared, because it takes seconds to start."""
    with started(install(place / "jupyter"), place / "notebooks") as (manager, client):
        kernel = Kernel(manager, client, place)
        assert not kernel.run(BEGIN).of("error")
        yield kernel


def test_results_are_read_by_path(rust: Kernel) -> None:
    assert rust.run('lab.topics()?.get("0/name").text()').text == 'Some("toy")'
    assert rust.run('lab.topics()?.get("7/name/3").text()').text == "None"


def test_calls_become_options(rust: Kernel) -> None:
    cell = rust.run(
        'let run = lab.measure("toy").scenario("burst").variants(["a", "b"]).param("producers", 4).param("gap-us", 0.5)'
        '.param("watched", true).baseline("a").save_baseline("mine").budget_seconds(9).quick().run()?;\n'
        'run.get("words").list().iter().map(|word| word.text().unwrap()).collect::<Vec<_>>().join(" ")'
    )
    assert json.loads(cell.text) == (
        "measure toy --scenario burst --variant a --variant b --param producers=4 --param gap-us=0.5 "
        "--param watched=true --baseline a --save-baseline mine --budget 9 --quick --stream"
    )


def test_functions_of_a_cell_are_measured_with_all_of_it(rust: Kernel) -> None:
    source = "static DATA: [u8; 1] = [1];\nfn one() -> usize { DATA.len() }\nfn two() -> u8 { DATA[0] }"
    assert not rust.run(source).of("error")
    assert not rust.run('let found = lab.bench(["one", "two"])?.quick().run()?;').of("error")
    words = rust.run('found.get("words").list().iter().map(|word| word.text().unwrap()).collect::<Vec<_>>().join(" ")')
    *before, file, quick, stream = json.loads(words.text).split()
    assert [*before, quick, stream] == ["bench", "one", "two", "--functions", "--quick", "--stream"]
    assert file.endswith("/one-two.rs")
    assert json.loads(rust.run('found.get("text").text().unwrap()').text) == source + "\n"
    assert "no cell is known that declares three" in str(rust.run('lab.bench(["three"])?;').error["traceback"])


def test_progress_is_one_display_kept_up_to_date(rust: Kernel) -> None:
    cell = rust.run('let run = lab.measure("toy").run()?;')
    first, *_ = cell.of("display_data")
    updates = cell.of("update_display_data")
    assert {one["transient"]["display_id"] for one in updates} == {first["transient"]["display_id"]}
    assert "0 % · round 1 of 3: <linked> · 3 s left" in first["data"]["text/plain"]
    assert "<progress" in first["data"]["text/html"]
    assert "&lt;linked&gt;" in first["data"]["text/html"]
    other, *_ = rust.run('let run = lab.measure("toy").run()?;').of("display_data")
    assert other["transient"]["display_id"] != first["transient"]["display_id"]
    assert updates[-1]["data"]["text/plain"].startswith("measure toy: done")


def test_charts_arrive_as_the_lab_made_them_all_of_them(rust: Kernel) -> None:
    shown = rust.run('let run = lab.measure("toy").run()?;').of("display_data")
    charts = [one["data"] for one in shown if PLOTLY in one["data"]]
    titles = [chart[PLOTLY]["layout"]["title"]["text"] for chart in charts]
    assert titles == ["a chart", "another chart"]
    assert charts[0]["text/plain"] == "linked 2.0x"


def test_a_note_stays_and_a_result_whose_figures_are_shown_adds_nothing(rust: Kernel) -> None:
    cell = rust.run('lab.measure("toy").run()?')
    assert "".join(one["text"] for one in cell.of("stream")) == "the machine was busy\n"
    assert not cell.of("execute_result")
    assert rust.run('lab.measure("toy").run()?.id()').text == 'Some("toy-1")'


def test_what_others_wrote_is_text_and_no_display(rust: Kernel) -> None:
    cell = rust.run('lab.claims("foreign").run()?;')
    shown = [one["data"] for kind in ("display_data", "execute_result") for one in cell.of(kind)]
    assert [list(one) for one in shown] == [["text/plain"]]
    assert "EVCXR_BEGIN_CONTENT text/html <script>" in shown[0]["text/plain"]
    said = "".join(one["text"] for one in cell.of("stream"))
    assert said.startswith("it broke\nEVCXR-BEGIN_CONTENT text/html\n<script>")
    assert said.endswith('"alert(1)"}}\nEVCXR-EXECUTION_COMPLETE\n')


def test_a_timeline_is_written_under_the_names_that_the_lab_reads_and_its_file_is_gone(rust: Kernel) -> None:
    cell = rust.run(
        'lab.timeline("a \\"stall\\"", &[Span::new("worker", "sleeps", 5, 9)], &[Moment::new(7, "queued")])?'
    )
    assert json.loads(cell.text) == {
        "title": 'a "stall"',
        "spans": [{"thread": "worker", "state": "sleeps", "start_ns": 5, "end_ns": 9, "note": ""}],
        "moments": [{"at_ns": 7, "label": "queued"}],
    }
    assert not list(Path(tempfile.gettempdir()).glob("perflab-timeline-*"))


def test_a_failure_that_is_not_handled_is_the_cells_error_in_two_lines(rust: Kernel) -> None:
    cell = rust.run('lab.describe("tyo")?;')
    assert cell.error["traceback"] == ["no topic 'tyo'", "  hint: did you mean 'toy'?"]
    assert cell.error["ename"] == "LabError"
    assert not cell.of("stream"), "it is said once"


def test_a_failure_that_is_handled_is_none(rust: Kernel) -> None:
    cell = rust.run('lab.describe("tyo").unwrap_err().exit_status()')
    assert not cell.of("error")
    assert cell.text == "2"


def test_a_command_that_dies_without_a_word_shows_its_log(rust: Kernel) -> None:
    traceback = rust.run('lab.claims("airssys-rt").run()?;').error["traceback"]
    assert traceback == ["./lab ended with status 7 and no result", "Traceback: the ledger is gone"]


def test_interrupt_ends_the_command_and_its_children_and_keeps_the_variables(rust: Kernel, place: Path) -> None:
    interrupts: list[bool] = []

    def interrupt(message: dict[str, Any]) -> None:
        if message["msg_type"] == "display_data" and not interrupts:
            interrupts.append(True)
            rust.manager.interrupt_kernel()

    rust.run("let kept = 42;")
    error = rust.run('lab.noise("toy").run()?;', on_message=interrupt).error
    assert error["traceback"] == ["interrupted", "  hint: interrupted; 1 of 8 rounds is kept"]
    child = int((place / "child.pid").read_text())
    assert is_gone(child)
    assert rust.run("kept").text == "42"


CUP = """
#[derive(Default)]
struct {name} {{
    all: VecDeque<u32>,
}}
impl Cup for {name} {{
    fn put(&mut self, number: u32) {{ self.all.push_back(number) }}
    fn get(&mut self) -> Option<u32> {{ {get} }}
}}"""


def test_a_type_of_a_cell_becomes_a_plugin_with_what_other_cells_import(rust: Kernel) -> None:
    rust.run("use std::collections::VecDeque;")
    assert not rust.run(CUP.format(name="MyCup", get="self.all.pop_front()")).of("error")
    cell = rust.run('let mine = lab.variant("toy", "MyCup")?;\nmine')
    assert cell.text == "my-cup: keeps the contract of toy\n  ok  keeps the order"
    assert re.fullmatch(r"my-cup: compiled in \d+ s\n", "".join(one["text"] for one in cell.of("stream")))
    assert not cell.of("display_data"), "what the lab has to ask for itself is not shown"
    words = rust.run(
        'let said = lab.measure("toy").variant("linked").plugin(&mine).run()?;\n'
        'said.get("words").list().iter().map(|word| word.text().unwrap()).collect::<Vec<_>>().join(" ")'
    )
    assert re.fullmatch(
        r"measure toy --variant linked --plugin \S+/my-cup-[0-9a-f]{16} --variant my-cup --stream",
        json.loads(words.text),
    )


def test_a_variant_that_breaks_the_contract_says_which_check(rust: Kernel) -> None:
    rust.run("use std::collections::VecDeque;")
    rust.run(CUP.format(name="BrokenCup", get="self.all.pop_back()"))
    traceback = rust.run('lab.variant("toy", "BrokenCup")?;').error["traceback"]
    assert traceback[:2] == ["BrokenCup breaks the contract of toy", "  FAILED  keeps the order: 2 before 1"]


def test_a_variant_that_does_not_compile_by_itself_has_the_cells_lines(rust: Kernel) -> None:
    rust.run("use std::collections::VecDeque;\nfn take(all: &mut VecDeque<u32>) -> Option<u32> { all.pop_front() }")
    rust.run(CUP.format(name="LeaningCup", get="take(&mut self.all)"))
    traceback = rust.run('lab.variant("toy", "LeaningCup")?;').error["traceback"]
    assert traceback[0] == "LeaningCup does not compile"
    assert traceback[1].startswith("  line 8, column 40: E0425: cannot find function `take` in this scope")


def test_a_variant_in_a_text(rust: Kernel) -> None:
    source = "use std::collections::VecDeque;\nuse toy_contract::Cup;" + CUP.format(
        name="TextCup", get="self.all.pop_front()"
    )
    cell = rust.run(f'lab.variant_from("toy", "TextCup", r"{source}")?')
    assert cell.text.startswith("text-cup: keeps")


def test_without_a_cell_the_error_says_what_to_do(rust: Kernel) -> None:
    traceback = rust.run('lab.variant("toy", "Nothing")?;').error["traceback"]
    assert traceback[0] == "no cell is known that declares Nothing"


def test_a_notebooks_dependencies_are_its_commands_to_the_kernel(tmp_path: Path) -> None:
    cells = [nbformat.v4.new_markdown_cell(":dep not = this"), nbformat.v4.new_code_cell(BEGIN)]
    notebook = tmp_path / "notebook.ipynb"
    metadata = {"kernelspec": {"name": "rust", "display_name": "Rust"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), notebook)
    assert dependencies(notebook) == BEGIN.splitlines()[:2]
    notebook.write_text("no JSON")
    with pytest.raises(UsageError, match="no notebook"):
        dependencies(notebook)
