"""The labkits of notebooks in live kernels, on a stub of the launcher."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from waiting import is_gone

from .conftest import Kernel, dotnet_build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.notebook

PLOTLY = "application/vnd.plotly.v1+json"


@pytest.fixture
def lab(request: pytest.FixtureRequest, kernels: Callable[[str], tuple[Kernel, Path]]) -> tuple[Kernel, Path]:
    return kernels(request.param)


def of_each(**values: object) -> pytest.MarkDecorator:
    """Run a test with each kernel and the value of its language."""
    return pytest.mark.parametrize(("lab", "case"), values.items(), ids=list(values), indirect=["lab"])


MEASURE = {
    "csharp": 'var run = lab.Measure("toy");',
    "kotlin": 'val run = lab.measure("toy")',
    "rust": 'let run = lab.measure("toy").run()?;',
}


def words(kernel: Kernel, language: str, name: str) -> str:
    """Return the words of a result's command, without folders."""
    code = {
        "csharp": 'string.Join(" ", %s["words"].List.Select(one => System.IO.Path.GetFileName(one.Text)))',
        "kotlin": '%s["words"].list.joinToString(" ") { it.text!!.substringAfterLast("/") }',
        "rust": "%s.get(\"words\").list().iter().map(|one| one.text().unwrap().rsplit('/').next().unwrap().to_owned())"
        '.collect::<Vec<_>>().join(" ")',
    }
    return kernel.run(code[language] % name).text.strip('"')


@of_each(
    csharp=('lab.Topics()[0, "name"].Text', 'lab.Topics()[7, "name", 3].Text', "toy"),
    kotlin=('lab.topics()[0, "name"].text', 'lab.topics()[7, "name", 3].text', "toy"),
    rust=('lab.topics()?.get("0/name").text()', 'lab.topics()?.get("7/name/3").text()', 'Some("toy")'),
)
def test_results_are_read_by_path(lab: tuple[Kernel, Path], case: tuple[str, str, str]) -> None:
    there, nothing, text = case
    assert lab[0].run(there).text == text
    assert lab[0].run(nothing).text in {"null", "None"}


@of_each(
    csharp=(
        'var said = lab.Measure("toy", scenario: "burst", variants: new[] { "a", "b" }, parameters: '
        'new { producers = 4, gap_us = 0.5, watched = true }, baseline: "a", metric: "m", quick: true);'
    ),
    kotlin=(
        'val said = lab.measure("toy", scenario = "burst", variants = listOf("a", "b"), params = '
        'mapOf("producers" to 4, "gap-us" to 0.5, "watched" to true), baseline = "a", metric = "m", quick = true)'
    ),
    rust=(
        'let said = lab.measure("toy").scenario("burst").variants(["a", "b"]).param("producers", 4)'
        '.param("gap-us", 0.5).param("watched", true).baseline("a").metric("m").quick().run()?;'
    ),
)
def test_arguments_become_options(lab: tuple[Kernel, Path], case: str, request: pytest.FixtureRequest) -> None:
    assert not lab[0].run(case).of("error")
    assert words(lab[0], request.node.callspec.id, "said") == (
        "measure toy --scenario burst --variant a --variant b --param producers=4 --param gap-us=0.5 "
        "--param watched=true --baseline a --metric m --quick --stream"
    )


@of_each(
    csharp=(
        "int[] data = { 1 };\nint One() => data.Length;\nint Two() => data.Sum();",
        'var found = lab.Bench(new[] { "One", "Two" }, quick: true);',
        'found["text"].Text',
        'lab.Bench(new[] { "Three" })',
    ),
    kotlin=(
        "val data = java.util.ArrayDeque(listOf(1))\nfun One() = data.size\nfun Two() = data.sum()",
        'val found = lab.bench("One", "Two", quick = true)',
        'found["text"].text',
        'lab.bench("Three")',
    ),
    rust=(
        "static DATA: [u8; 1] = [1];\nfn One() -> usize { DATA.len() }\nfn Two() -> u8 { DATA[0] }",
        'let found = lab.bench(["One", "Two"])?.quick().run()?;',
        'println!("{}", found.get("text").text().unwrap()); ()',
        'lab.bench(["Three"])?;',
    ),
)
def test_functions_of_a_cell_are_measured_with_all_of_it(
    lab: tuple[Kernel, Path], case: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    kernel, _ = lab
    defined, bench, text, unknown = case
    for code in (defined, bench):
        assert not kernel.run(code).of("error")
    language = request.node.callspec.id
    suffix = {"csharp": "cs", "kotlin": "kt", "rust": "rs"}[language]
    assert words(kernel, language, "found") == f"bench One Two --functions One-Two.{suffix} --quick --stream"
    cell = kernel.run(text)
    lines = (cell.streamed() or cell.text).splitlines()
    assert lines[0].endswith(defined.splitlines()[0])
    assert lines[1:3] == defined.splitlines()[1:]
    assert re.search("no cell .*Three", str(kernel.run(unknown).error["traceback"]))


@of_each(**MEASURE)
def test_progress_is_one_display_charts_arrive_as_they_are_and_a_note_stays(
    lab: tuple[Kernel, Path], case: str
) -> None:
    cell = lab[0].run(case)
    first, *_ = shown = cell.of("display_data")
    updates = cell.of("update_display_data")
    assert {one["transient"]["display_id"] for one in updates} == {first["transient"]["display_id"]}
    assert re.search(r"0 % · round 1 of 3: <linked> · 3 ?s left", first["data"]["text/plain"])
    assert "<progress" in first["data"]["text/html"]
    assert "&lt;linked&gt;" in first["data"]["text/html"]
    assert updates[-1]["data"]["text/plain"].startswith("measure toy: done")
    charts = [one["data"] for one in shown if PLOTLY in one["data"]]
    assert [one[PLOTLY]["layout"]["title"]["text"] for one in charts] == ["a chart", "another chart"]
    assert charts[0]["text/plain"] == "linked 2.0x"
    assert cell.streamed() == "the machine was busy\n"


@of_each(
    csharp=('lab.Measure("toy")', 'lab.Measure("toy").Id'),
    kotlin=('lab.measure("toy")', 'lab.measure("toy").id'),
    rust=('lab.measure("toy").run()?', 'lab.measure("toy").run()?.id().unwrap()'),
)
def test_a_result_whose_figures_are_shown_adds_nothing(lab: tuple[Kernel, Path], case: tuple[str, str]) -> None:
    assert not lab[0].run(case[0]).of("execute_result")
    assert lab[0].run(case[1]).text.strip('"') == "toy-1"


@of_each(
    csharp='lab.Timeline("a \\"stall\\"", new[] { new Span("worker", "sleeps", 5, 9) }, new[] { new Moment(7, "in") })',
    kotlin='lab.timeline("a \\"stall\\"", listOf(Span("worker", "sleeps", 5, 9)), listOf(Moment(7, "in")))',
    rust='lab.timeline("a \\"stall\\"", &[Span::new("worker", "sleeps", 5, 9)], &[Moment::new(7, "in")])?',
)
def test_a_timeline_is_written_as_the_lab_reads_it(lab: tuple[Kernel, Path], case: str) -> None:
    assert json.loads(lab[0].run(case).text) == {
        "title": 'a "stall"',
        "spans": [{"thread": "worker", "state": "sleeps", "start_ns": 5, "end_ns": 9, "note": ""}],
        "moments": [{"at_ns": 7, "label": "in"}],
    }


@of_each(
    csharp=('lab.Describe("tyo")', 'lab.Claims("lost")'),
    kotlin=('lab.describe("tyo")', 'lab.claims("lost")'),
    rust=('lab.describe("tyo")?;', 'lab.claims("lost").run()?;'),
)
def test_an_error_is_two_lines_and_a_command_that_dies_without_a_word_shows_its_log(
    lab: tuple[Kernel, Path], case: tuple[str, str]
) -> None:
    cell = lab[0].run(case[0])
    assert cell.error["traceback"] == ["no topic 'tyo'", "  hint: did you mean 'toy'?"]
    assert not cell.of("stream"), "it is said once"
    traceback = lab[0].run(case[1]).error["traceback"]
    assert traceback == ["./lab ended with status 7 and no result", "Traceback: the ledger is gone"]


@of_each(csharp='lab.Noise("toy")', kotlin='lab.noise("toy")', rust='lab.noise("toy").run()?;')
def test_an_interrupt_ends_the_command_and_its_children_and_keeps_the_kernel(
    lab: tuple[Kernel, Path], case: str
) -> None:
    kernel, checkout = lab
    error = kernel.interrupted(case, "display_data")
    assert error["traceback"] == ["interrupted", "  hint: interrupted; 1 of 8 rounds is kept"]
    assert is_gone(int((checkout / "child.pid").read_text()))
    assert kernel.run("1 + 1").text == "2"


CSHARP_CUP = """
public class {name} : ICup
{{
    private readonly Queue<object> all = new Queue<object>();
    public bool Put(object element) {{ all.Enqueue(element); return true; }}
    public object Get() => {get};
}}"""
KOTLIN_CUP = """
class {name}<E : Any> : toy.Cup<E> {{
    private val all = ConcurrentLinkedDeque<E>()
    override fun put(element: E) = buildList {{ add(all.offer(element)) }}.single()

    override fun get(): E? = {get}
}}"""
RUST_CUP = """
#[derive(Default)]
struct {name} {{
    all: VecDeque<u32>,
}}
impl Cup for {name} {{
    fn put(&mut self, number: u32) {{ self.all.push_back(number) }}
    fn get(&mut self) -> Option<u32> {{ {get} }}
}}"""
# `get`: how an element is got rightly, wrongly, and not at all.
VARIANTS: dict[str, dict[str, Any]] = {
    "csharp": {
        "begin": ['lab.Load("toy");'],
        "cup": CSHARP_CUP,
        "get": ("all.Dequeue()", "all.Last()", "nothing"),
        "variant": "lab.Variant<{name}>()",
        "keep": "var mine = lab.Variant<MyCup>();\nmine",
        "measure": 'var own = lab.Measure("toy", variants: new[] { "linked" }, plugin: mine);',
        "place": "line 6, column 28: CS0103",
        "name": "my-cup",
    },
    "kotlin": {
        "begin": ['lab.load("toy")', "import java.util.concurrent.ConcurrentLinkedDeque"],
        "cup": KOTLIN_CUP,
        "get": ("all.poll()", "all.pollLast()", "limit"),
        "variant": "lab.variant({name}::class)",
        "keep": "val mine = lab.variant(MyCup::class)\nmine",
        "measure": 'val own = lab.measure("toy", variants = listOf("linked"), plugin = mine)',
        "place": "line 6, column 30: Unresolved reference 'limit'",
        "name": "MyCup",
    },
    "rust": {
        "begin": ["use std::collections::VecDeque;"],
        "cup": RUST_CUP,
        "get": ("self.all.pop_front()", "self.all.pop_back()", "take(&mut self.all)"),
        "variant": 'lab.variant("toy", "{name}")?',
        "keep": 'let mine = lab.variant("toy", "MyCup")?;\nmine',
        "measure": 'let own = lab.measure("toy").variant("linked").plugin(&mine).run()?;',
        "place": "line 8, column 40: E0425",
        "name": "my-cup",
    },
}


@pytest.mark.parametrize("language", VARIANTS)
def test_a_class_of_a_cell_becomes_a_plugin(kernels: Callable[[str], tuple[Kernel, Path]], language: str) -> None:
    (kernel, _), case = kernels(language), VARIANTS[language]
    kept, broken, unknown = case["get"]
    for code in [*case["begin"], case["cup"].format(name="MyCup", get=kept)]:
        assert not kernel.run(code).of("error")
    cell = kernel.run(case["keep"])
    assert cell.text == f"{case['name']}: keeps the contract of toy\n  ok  keeps the order"
    assert not cell.of("display_data"), "what the lab has to ask for itself is not shown"
    assert not kernel.run(case["measure"]).of("error")
    said = words(kernel, language, "own")
    assert f"--variant {case['name']}" in said
    assert re.search(r"--plugin \S+", said)
    kernel.run(case["cup"].format(name="BrokenCup", get=broken))
    lines = kernel.run(case["variant"].format(name="BrokenCup")).error["traceback"]
    assert lines[0] == "BrokenCup breaks the contract of toy"
    assert lines[1].startswith("  FAILED  keeps the order: ")
    if language == "csharp":  # where a cell that does not compile declares nothing
        source = case["cup"].format(name="LeaningCup", get=unknown)
        lines = kernel.run(f'lab.Variant(@"{source}")').error["traceback"]
    else:
        fn = "fn take(all: &mut VecDeque<u32>) -> Option<u32> { all.pop_front() }"
        kernel.run({"kotlin": "val limit = null", "rust": fn}[language])
        kernel.run(case["cup"].format(name="LeaningCup", get=unknown))
        lines = kernel.run(case["variant"].format(name="LeaningCup")).error["traceback"]
    assert lines[0].endswith("does not compile")
    assert case["place"] in lines[1]


def test_kotlin_classes_of_other_cells_come_along_when_named_and_java_source_is_compiled(
    kernels: Callable[[str], tuple[Kernel, Path]],
) -> None:
    kernel, _ = kernels("kotlin")
    kernel.run('lab.load("toy")')
    kernel.run("class Slots { val all = ArrayDeque<Any>() }")
    kernel.run(
        "class Slotted : toy.Cup<Any> {\n    private val slots = Slots()\n"
        "    override fun put(element: Any) = slots.all.add(element)\n"
        "    override fun get() = slots.all.removeFirst()\n}"
    )
    assert "Unresolved reference 'Slots'" in kernel.run("lab.variant(Slotted::class)").error["evalue"]
    assert kernel.run("lab.variant(Slotted::class, Slots::class)").text.startswith("Slotted: keeps")
    kernel.run(
        "class Sized(val n: Int) : toy.Cup<Any> { override fun put(element: Any) = true; override fun get() = n }"
    )
    assert "constructor without arguments" in kernel.run("lab.variant(Sized::class)").error["evalue"]
    java = '''// a comment
lab.java("""
public class JavaCup<E> implements toy.Cup<E> {
    private final java.util.Deque<E> all = new java.util.ArrayDeque<>();
    public boolean put(E element) { return %s; }
    public E get() { return all.remove(); }
}
""")'''
    assert kernel.run(java % "all.add(element)").text.startswith("JavaCup: keeps the contract of toy")
    failed = kernel.run(java % "1")
    assert failed.error["traceback"] == [
        "JavaCup does not compile",
        f"  Cell In[{failed.number}], line 5, column 44: incompatible types: int cannot be converted to boolean",
    ]


def test_without_a_component_or_a_cell_the_error_says_what_to_do(
    kernels: Callable[[str], tuple[Kernel, Path]],
) -> None:
    csharp, rust = kernels("csharp")[0], kernels("rust")[0]
    fresh = csharp.run('new Lab().Variant("public class A { }")').error["traceback"]
    assert fresh == ["no component is loaded", '  hint: begin with lab.Load("thread-pool")']
    lost = rust.run('lab.variant("toy", "Nothing")?;').error["traceback"]
    assert lost[0] == "no cell is known that declares Nothing"


def test_rust_shows_what_others_wrote_as_text(kernels: Callable[[str], tuple[Kernel, Path]]) -> None:
    cell = kernels("rust")[0].run('lab.claims("foreign").run()?;')
    shown = [one["data"] for kind in ("display_data", "execute_result") for one in cell.of(kind)]
    assert [list(one) for one in shown] == [["text/plain"]]
    assert "EVCXR_BEGIN_CONTENT text/html <script>" in shown[0]["text/plain"]
    said = cell.streamed()
    assert said.startswith("it broke\nEVCXR-BEGIN_CONTENT text/html\n<script>")
    assert said.endswith('"alert(1)"}}\nEVCXR-EXECUTION_COMPLETE\n')


def test_a_rust_failure_that_is_handled_is_none(kernels: Callable[[str], tuple[Kernel, Path]]) -> None:
    cell = kernels("rust")[0].run('lab.describe("tyo").unwrap_err().exit_status()')
    assert not cell.of("error")
    assert cell.text == "2"


INTERACTIVE = """#r "../components/interactive/target/Microsoft.DotNet.Interactive.dll"
#r "../kernels/dotnet/labkit/Lab/target/Perflab.Lab.dll"
#r "../components/toy/target/Toy.dll"
using Microsoft.DotNet.Interactive;
using Perflab.Lab;
using Toy;
AppDomain.CurrentDomain.SetData("perflab.display", null);
AppDomain.CurrentDomain.SetData("perflab.cells", null);
var kernel = new CSharpKernel();
var context = KernelInvocationContext.Current = new KernelInvocationContext { HandlingKernel = kernel };
var lab = new Lab();
lab.Load("toy");"""


def test_in_dotnet_interactive_displays_have_formatters_and_a_variant_is_found_in_its_scripts(
    kernels: Callable[[str], tuple[Kernel, Path]], start: Callable[..., Kernel]
) -> None:
    """In a csharp kernel that the labkit takes for .NET Interactive: with a stand-in, and nothing of the lab's own."""
    checkout = kernels("csharp")[1]
    dotnet_build(checkout / "components" / "interactive")
    kernel = start("csharp", checkout / "notebooks")
    assert not kernel.run(INTERACTIVE).of("error")
    assert not kernel.run('context.Published.Clear(); var run = lab.Measure("toy");').of("error")
    pairs = "context.Published.Select(one => new object[] { one.Id, one.Data })"
    shown = json.loads(kernel.run(f"System.Text.Json.JsonSerializer.Serialize({pairs})").text)
    identity, begun = shown[0]
    assert "<progress" in begun["text/html"]
    assert shown[-1][0] == identity
    assert shown[-1][1]["text/plain"].startswith("measure toy: done")
    charts = [data for _, data in shown if PLOTLY in data]
    assert json.loads(charts[0][PLOTLY])["layout"] == {"title": {"text": "a chart"}}
    assert kernel.run('Formatting.Of(run["words", 0])["text/plain"]').text == "measure"
    assert kernel.run('string.Join(" ", Formatting.Of(lab).Keys)').text == "text/plain"
    assert not kernel.run(CSHARP_CUP.format(name="MyCup", get="all.Dequeue()")).of("error")
    unknown = kernel.run("lab.Variant<MyCup>()").error["traceback"]
    assert unknown[0] == "no cell is known that declares the class MyCup", "in its first cell there is no script"
    first, code = (CSHARP_CUP.format(name="MyCup", get=get) for get in ("all.Last()", "all.Dequeue()"))
    history = f'new Script(@"{code}", new Script(@"{first}", new Script("using Toy;", null)))'
    kernel.run(f"kernel.ScriptState = new ScriptState({history});")
    assert kernel.run("lab.Variant<MyCup>()").text.startswith("my-cup: keeps the contract of toy")
