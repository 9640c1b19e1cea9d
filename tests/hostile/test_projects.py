"""A folder, a project or a ledger of somebody else: nothing of it is run or written through, and it stops nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import nbformat.v4 as nb
import pytest
from evidence_by_hand import lay_out
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from labs import FIXTURES, Lab
from runs import MACHINE
from silent import Silent
from sites import build_site

from perflab.bench.command import Pattern
from perflab.bench.interface import MOST_SAMPLES, Ended, check_number
from perflab.host import dotnet, spawner_process
from perflab.host.git import run_git, this_revision
from perflab.host.processes import ask
from perflab.kernels.notebooks import read_notebook
from perflab.kernels.registry import PythonKernel
from perflab.measure.harnessed import open_bench
from perflab.measure.presets import PRESETS
from perflab.model.errors import BenchError, MissingError, UsageError
from perflab.model.lab import CHECKOUT
from perflab.model.lab import Lab as Project
from perflab.model.located import read_toml
from perflab.model.project import SavedBench, read_project
from perflab.model.protocol import LONGEST_TEXT
from perflab.site.launch import Launcher
from perflab.site.layout import relative
from perflab.site.markdown import Markdown
from perflab.site.pages import notebook_html
from perflab.topics.build import _build, build, is_own_build, sources_print
from perflab.topics.catalogue import find_component
from perflab.topics.manifest import Manifest
from perflab.topics.testing import find_reports

if TYPE_CHECKING:
    from pathlib import Path

TRAP = "import pathlib; pathlib.Path({!r}).touch()\n"
# What starts in a folder of the checkout, or is the user's own program.
_OWN = {"pytest", "ruff", "mypy"}


@pytest.fixture
def foreign(tmp_path: Path) -> Lab:
    """A folder of somebody else, in which one is."""
    lab = Lab(tmp_path, PERFLAB_RESULTS="", PERFLAB_COMPONENTS="", PERFLAB_CLAIMS="")
    lab.place = tmp_path / "foreign"
    lab.place.mkdir()
    return lab


def test_the_launcher_imports_nothing_of_the_folder_that_one_is_in(foreign: Lab) -> None:
    trap = foreign.place / "sprung"
    for name in ("click.py", "random.py", "perflab.py"):
        (foreign.place / name).write_text(TRAP.format(str(trap)))
    line = re.findall(r'^ *exec "\S+python" (.*) "\$@"$', (CHECKOUT / "lab").read_text(), re.MULTILINE)
    assert line == ["-P -m perflab"] * 2
    done = subprocess.run(
        [sys.executable, *line[0].split(), "runs", "--json"], cwd=foreign.place, env=foreign.environment, check=False
    )
    assert done.returncode == 0
    assert not trap.exists()


@pytest.mark.parametrize("path", [":/opt/lib", "/opt/lib:", "/opt/lib::/opt/more", ":"])
def test_an_empty_entry_of_a_path_is_not_the_folder_that_one_is_in(path: str) -> None:
    lines = (CHECKOUT / "lab").read_text().partition("export PYTHONPATH")[0]
    script = f'{lines}\nprintf "%s\\n" "$PYTHONPATH" "$JUPYTER_PATH"'
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": path, "JUPYTER_PATH": path}
    told = subprocess.run(
        ["/bin/sh", "-c", script, str(CHECKOUT / "lab")], env=environment, check=True, capture_output=True, text=True
    )
    for place, line in zip(("src", ".lab/jupyter"), told.stdout.splitlines(), strict=True):
        assert line.split(":") == [str(CHECKOUT / place), *filter(None, path.split(":"))]


def test_a_project_within_replaces_no_evidence_of_the_outer_one(tmp_path: Path) -> None:
    places, inner, site = lay_out(tmp_path), tmp_path / "vendored", tmp_path / "site"
    inner.mkdir()
    (inner / "perflab.toml").write_text('reference = "reference"\n')
    shutil.copytree(places["reference"], inner / "reference")
    records = [path for name in ("run", "profile-record") for path in inner.glob(f"reference/*/*/{name}.json")]
    for path in records:
        record = json.loads(path.read_text())
        path.write_text(json.dumps(record | {"machine": record["machine"] | {"cpu": "another"}}))
    build_site(site, ["toys"], root=tmp_path, inner=("vendored",), **places)
    written = [path for name in ("run", "profile-record") for path in site.rglob(f"{name}.json")]
    assert len(written) == len(records) == 3
    assert {json.loads(path.read_text())["machine"]["cpu"] for path in written} == {MACHINE.cpu}


def test_whatever_python_the_launcher_asks_is_isolated() -> None:
    lines = (CHECKOUT / "lab").read_text().splitlines()
    asked = [line for line in lines if re.search(r'python" .*-c ', line)]
    assert len(asked) == 3
    assert all('python" -I -c ' in line for line in asked)


def test_no_module_is_started_from_whatever_folder_one_is_in() -> None:
    started = re.compile(r'(?:sys\.executable|str\((?:self\.)?python\)), ("-[IP]", )?"-m", "?([\w.]+)')
    for path in (CHECKOUT / "src").rglob("*.py"):
        for match in started.finditer(path.read_text(encoding="utf-8")):
            fine = match[1] or match[2] in _OWN or path.name in {"steps.py", "python.py", "rust.py"}
            assert fine, f"{path.name}: -m {match[2]} without -P"


def test_no_file_beside_a_notebook_is_taken_for_its_kernel(tmp_path: Path) -> None:
    trap = tmp_path / "trapped"
    for name in ("ipykernel_launcher", "ipykernel", "argparse"):
        (tmp_path / f"{name}.py").write_text(TRAP.format(str(trap)))
    program, *words = PythonKernel().kernelspec()["argv"]
    started = subprocess.run([program, *words[:-2], "--version"], cwd=tmp_path, check=True, capture_output=True)
    assert started.stdout
    assert not trap.exists()


def test_no_file_beside_a_notebook_is_taken_for_what_its_kernel_loads(tmp_path: Path) -> None:
    trap, beside = tmp_path / "trapped", tmp_path / "beside"
    # A debugger's plug-in may lie in any folder of the path.
    for name in ("storemagic", "jedi", "pydevd_plugins/extensions/pydevd_plugin_any"):
        (beside / name).parent.mkdir(parents=True, exist_ok=True)
        (beside / f"{name}.py").write_text(TRAP.format(str(trap)))
    (beside / "inner.py").write_text("def shown(magic): print('magic' if magic else 'none', end='')\n")
    spec = tmp_path / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(json.dumps(PythonKernel().kernelspec()))
    specs = KernelSpecManager(kernel_dirs=[str(spec.parents[1])], ensure_native_kernel=False)
    manager = KernelManager(kernel_name="python3", kernel_spec_manager=specs)
    manager.start_kernel(cwd=str(beside))
    try:
        client = manager.client()
        client.start_channels()
        client.wait_for_ready(timeout=600)
        assert not trap.exists(), "no cell has run yet"
        said: list[str] = []
        client.execute_interactive(
            "import jedi, inner; inner.shown(get_ipython().find_line_magic('store'))",
            timeout=600,
            output_hook=lambda message: said.append(message["content"].get("text", "")),
        )
        client.stop_channels()
    finally:
        manager.shutdown_kernel(now=True)
    assert not trap.exists()
    assert "".join(said) == "magic", "cells import what is beside them, and have IPython's own extension"


def test_who_drafts_a_ledger_builds_nothing(foreign: Lab) -> None:
    topic, trap = foreign.place / "perflab" / "components" / "toy", foreign.place / "sprung"
    topic.mkdir(parents=True)
    (foreign.place / "perflab.toml").write_text("version = 1\n")
    commands = f'[build]\ncommand = ["touch", "{trap}"]\n[bench]\ncommand = ["touch", "{trap}"]\n'
    (topic / "component.toml").write_text(f'name = "toy"\ntitle = "T"\nlanguage = "c"\n{commands}')
    (foreign.place / "README.md").write_text("A is 3x as fast as B.\n")
    assert foreign.json("claims", "new", "README.md")["claims"] == 1
    assert 'component: "toy"' in (foreign.place / "perflab" / "claims" / "readme.yaml").read_text()
    assert not trap.exists()


def test_a_misspelt_key_of_a_bench_is_one_line_for_every_command(foreign: Lab) -> None:
    (foreign.place / "perflab.toml").write_text('[bench.mine]\ncompare = ["true"]\nharnes = "gbench"\n')
    for command in ("runs", "topics"):
        said = foreign(command, status=2).stderr
        assert "perflab.toml:3" in said
        assert "did you mean 'harness'" in said


def test_a_wrong_ledger_takes_no_other_with_it(tmp_path: Path) -> None:
    claims = tmp_path / "claims"
    claims.mkdir()
    (claims / "bad.yaml").write_text("report: bad\nclaims: 1\n")
    (claims / "toys.yaml").write_text((FIXTURES / "claims" / "toys.yaml").read_text())
    lab = Lab(tmp_path, PERFLAB_COMPONENTS=str(FIXTURES / "components"), PERFLAB_CLAIMS=str(claims))
    for command in (["claims"], ["report", "--badges"]):
        assert "left out: " in lab(*command).stderr
    assert {one["report"] for one in lab.json("claims")["claims"]} == {"toys"}
    assert "bad.yaml:" in lab("claims", "bad", status=2).stderr


def test_a_pattern_sees_the_beginning_of_a_line_without_end() -> None:
    output = b"12 ns/op\n" + b"1" * 3_000_000 + b" ns/op\n"
    found = Pattern("([0-9.]+) ns/op").samples(Ended(output, 1.0, {}), "any", PRESETS["smoke"])
    assert [one.counters["figure"] for one in found] == [12]
    assert LONGEST_TEXT < 3_000_000


def test_a_process_gives_so_many_samples_and_no_more() -> None:
    check_number(MOST_SAMPLES)
    with pytest.raises(BenchError, match="are the most"):
        check_number(MOST_SAMPLES + 1)


def test_a_pattern_of_reports_that_is_none_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no pattern of paths"):
        find_reports(tmp_path, "target/**.xml")


@pytest.mark.parametrize("place", ["/etc/*.xml", "../*.xml", "a/../../b.xml"])
def test_reports_of_tests_are_within_their_component(tmp_path: Path, place: str) -> None:
    path = tmp_path / "component.toml"
    text = 'name = "a"\ntitle = "a"\nlanguage = "a"\nbuild = {command = ["b"]}\nbench = {command = ["b"]}\n'
    path.write_text(text + f'test = {{command = ["t"], reports = "{place}"}}\n')
    with pytest.raises(UsageError, match=r"component\.toml:6"):
        read_toml(path, Manifest, "")


def test_a_build_that_came_with_a_clone_is_not_started_by_who_looks(
    foreign: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    (foreign.place / "perflab.toml").write_text('work = "kept"\n')
    topic, ledgers = foreign.place / "perflab" / "components" / "mine", foreign.place / "perflab" / "claims"
    topic.mkdir(parents=True)
    ledgers.mkdir()
    start = 'build = {command = ["true"]}\nbench = {command = ["touch", "sprung"]}\n'
    (topic / "component.toml").write_text(f'name = "mine"\ntitle = "t"\nlanguage = "sh"\n{start}')
    claim = "{id: a, kind: order, statement: s, baseline: b, candidate: c, scenario: time}"
    (ledgers / "a.yaml").write_text(f"report: a\ntitle: t\ncomponent: mine\nclaims: [{claim}]\n")
    monkeypatch.chdir(foreign.place)
    for name in ("RESULTS", "COMPONENTS", "CLAIMS"):
        monkeypatch.delenv(f"PERFLAB_{name}", raising=False)
    component = find_component(Project.from_environment(), "mine")
    stamped = _build(component)
    stamped.stamp.parent.mkdir(parents=True)
    stamped.stamp.write_text(stamped.fingerprint())
    assert stamped.is_current()
    assert "not run" in foreign("claims").stdout
    assert "to be built first" in foreign("reproduce", "--dry-run").stdout
    assert not (topic / "sprung").exists()
    monkeypatch.setenv("XDG_CACHE_HOME", foreign.environment["XDG_CACHE_HOME"])
    build(component)
    assert is_own_build(component)


KERNEL = '"metadata": {"kernelspec": {"name": "rust", "display_name": "Rust"}}, "nbformat_minor": 5'


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        f'{{"cells": [{{}}], {KERNEL}, "nbformat": 4}}',
    ],
)
def test_a_notebook_without_a_kernel_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.ipynb").write_text(text)
    with pytest.raises(UsageError, match=r"a\.ipynb"):
        read_notebook(tmp_path / "a.ipynb")


def test_a_tool_that_is_asked_runs_in_no_folder_of_somebody_else(foreign: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(foreign.place)
    assert ask(["/bin/pwd"]) == "/\n"


def test_what_fetches_an_sdk_is_started_in_no_folder_with_others_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # npm and uv read the settings there: an .npmrc names the address that a variable of the user's is sent to.
    npm = tmp_path / "npm"
    npm.write_text(f"#!/bin/sh\npwd >> {tmp_path}/places\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(dotnet, "find_sdk", lambda: None)
    with pytest.raises(MissingError, match="has another hash than its lock"):
        dotnet.provide_sdk()
    assert (tmp_path / "places").read_text() == "/\n"


def test_nothing_is_compiled_below_a_folder_that_all_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(shared))
    (tmp_path / "a.py").write_text("def one():\n    pass\n")
    (tmp_path / "a.cpp").write_text("int one() { return 1; }\n")
    assert open_bench(SavedBench(["one"], "functions", ["a.py"]), tmp_path, Silent()).runs
    with pytest.raises(MissingError, match="no folder of yours alone to compile in"):
        open_bench(SavedBench(["one"], "functions", ["a.cpp"]), tmp_path, Silent())


def test_a_notebook_is_shown_by_no_template_of_the_folder_that_one_is_in(
    foreign: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("basic", "classic", "base"):
        (foreign.place / name).mkdir()
        (foreign.place / name / "index.html.j2").write_text("sprung")
        (foreign.place / name / "conf.json").write_text("{")
    monkeypatch.chdir(foreign.place)
    html = notebook_html(nb.new_notebook(cells=[nb.new_markdown_cell("shown")]), "notebooks/a.ipynb", Markdown({}))
    assert "shown" in html
    assert "sprung" not in html


@pytest.mark.parametrize(
    "name", ['m\n[bench.x]\ncompare = ["true"]\n#', "m\x01", os.fsdecode(b"\xff")], ids=["lines", "control", "bytes"]
)
def test_a_files_name_is_no_line_of_what_init_writes(foreign: Lab, name: str) -> None:
    (foreign.place / f"{name}_test.go").write_text("func BenchmarkX(b *testing.B) {}")
    foreign("init")
    assert read_project(foreign.place / "perflab.toml").bench == {}


@pytest.mark.parametrize("command", [(), ("topics",)])
def test_a_topics_title_is_no_code_of_a_terminal(foreign: Lab, command: tuple[str, ...]) -> None:
    topic = foreign.place / "perflab" / "components" / "mine"
    topic.mkdir(parents=True)
    (foreign.place / "perflab.toml").write_text("")
    start = 'build = {command = ["true"]}\nbench = {command = ["true"]}\n'
    (topic / "component.toml").write_text(f'name = "mine"\ntitle = "\\u001b]0;it\\u0007fine"\nlanguage = "sh"\n{start}')
    said = foreign(*command).stdout
    assert "fine" in said
    assert "\x1b" not in said


def test_a_requirement_that_is_none_hides_no_others_from_the_doctor(foreign: Lab) -> None:
    for name, requirement in (("wrong", "jdk=>17"), ("right", "cpp")):
        topic = foreign.place / "perflab" / "components" / name
        topic.mkdir(parents=True)
        start = 'build = {command = ["true"]}\nbench = {command = ["true"]}\n'
        requires = f'language = "sh"\nrequires = ["{requirement}"]\n'
        (topic / "component.toml").write_text(f'name = "{name}"\ntitle = "It"\n{requires}{start}')
    (foreign.place / "perflab.toml").write_text("")
    found = json.loads(foreign("doctor", "--json", status=3).stdout)
    rows = {one["name"]: one for one in found if one["area"] == "toolchain"}
    assert "cannot read the requirement" in rows["jdk=>17"]["version"]
    assert rows["cpp"]["needed_for"] == "topic right"
    said = foreign("measure", "wrong", status=2).stderr
    assert "wrong/component.toml, requires: cannot read the requirement 'jdk=>17'" in said


def test_a_full_disk_costs_no_saved_bench(foreign: Lab) -> None:
    file = foreign.place / "perflab.toml"
    file.write_text('[bench.mine]\ncompare = ["true", "true #"]\n')
    script = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20)); "
    script += "from pathlib import Path; from perflab.cli.project import _write; _write(Path(sys.argv[1]), 'x' * 100)"
    done = subprocess.run(
        [sys.executable, "-c", script, str(file)], env=foreign.environment, check=False, capture_output=True, text=True
    )
    assert "cannot write" in done.stderr
    assert "[bench.mine]" in file.read_text()


def test_what_is_no_file_in_a_topics_folder_is_no_source(own_lab: Project) -> None:
    component = find_component(own_lab, "toy")
    folder = own_lab.root / "toy"
    shutil.copytree(component.folder, folder)
    copy = replace(component, folder=folder)
    before = sources_print(copy)
    os.mkfifo(folder / "pipe")
    (folder / "compile_commands.json").symlink_to(folder / "nowhere")
    assert sources_print(copy) == before


def test_names_that_are_no_unicode_stop_nothing(own_lab: Project, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"\xff")
    component = find_component(own_lab, "toy")
    shutil.copytree(component.folder, folder)
    (folder / os.fsdecode(b"\xfe")).touch()
    copy = replace(component, folder=folder)
    assert sources_print(copy) != sources_print(component)
    assert not is_own_build(copy)
    notebook = os.fsdecode(b"notebooks/\xff.ipynb")
    assert relative(notebook, "notebooks/other.html") == "%FF.ipynb"
    assert Launcher("https://github.com/a/b", "main").url(notebook).endswith("%FF.ipynb")


def test_a_file_that_is_called_like_an_address_is_none() -> None:
    assert relative("notebooks/javascript:alert(1).ipynb", "notebooks/a.html") == "javascript%3Aalert%281%29.ipynb"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """With a file that was touched, so that git would write its index anew, and a program that marks that it ran."""
    (tmp_path / "file").write_text("1")
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", "file")
    _git(tmp_path, "commit", "-qm", ".")
    os.utime(tmp_path / "file", (1, 1))
    (tmp_path / "trap").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (tmp_path / "trap").chmod(0o755)
    return tmp_path


def _git(folder: Path, *words: str, check: bool = True) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
    done = subprocess.run(["git", *who, *words], cwd=folder, check=check, capture_output=True, text=True)  # noqa: S607
    return done.stdout.strip()


def _springs(repository: Path) -> bool:
    """Whether git itself runs the trap."""
    os.utime(repository / "file", (2, 2))
    _git(repository, "status", check=False)
    return (repository / "ran").exists()


@pytest.mark.parametrize("name", ["a=b", os.fsdecode(b"\xff")], ids=["sign", "bytes"])
@pytest.mark.parametrize("key", ["clean", "process"])
def test_a_filter_that_a_repositorys_configuration_names_does_not_run(
    repository: Path, monkeypatch: pytest.MonkeyPatch, key: str, name: str
) -> None:
    (repository / ".gitattributes").write_bytes(b"file filter=" + os.fsencode(name))
    _git(repository, "config", f"filter.{name}.{key}", str(repository / "trap"))
    assert not this_revision(repository).dirty
    monkeypatch.setenv("GIT_CONFIG", os.devnull)  # what `git config` lists then
    assert not this_revision(repository).dirty
    assert not (repository / "ran").exists()
    assert _springs(repository), "a test that could not fail"


def test_a_missing_object_is_not_fetched_by_a_program_of_the_configuration(repository: Path) -> None:
    lazy = {"extensions.partialClone": "o", "remote.o.url": ".", "remote.o.promisor": "true"}
    lazy |= {"remote.o.uploadpack": str(repository / "trap"), "core.repositoryFormatVersion": "1"}
    tree = _git(repository, "rev-parse", "HEAD^{tree}")
    for setting in lazy.items():
        _git(repository, "config", *setting)
    (repository / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    this_revision(repository)
    assert not (repository / "ran").exists()
    assert _springs(repository), "a test that could not fail"


def test_what_a_repositorys_configuration_names_to_watch_files_does_not_run(repository: Path) -> None:
    _git(repository, "config", "core.fsmonitor", str(repository / "trap"))
    this_revision(repository)
    assert not (repository / "ran").exists()
    assert _springs(repository), "a test that could not fail"


def test_who_looks_at_a_repository_writes_nothing_into_it(repository: Path) -> None:
    index = repository / ".git" / "index"
    before = index.read_bytes()
    assert not this_revision(repository).dirty
    assert index.read_bytes() == before
    _git(repository, "status")
    assert index.read_bytes() != before, "a test that could not fail"


@pytest.mark.parametrize("event", ["post-index-change", "post-checkout"])
def test_a_hook_of_a_repositorys_configuration_does_not_run(repository: Path, event: str) -> None:
    for key, value in (("event", event), ("command", str(repository / "trap"))):
        _git(repository, "config", f"hook.a=b.{key}", value)
    this_revision(repository)
    run_git(repository, "worktree", "add", "--detach", str(repository / "tree"))
    assert not (repository / "ran").exists()
    _git(repository, "status" if event == "post-index-change" else "checkout")
    if not (repository / "ran").exists():
        pytest.skip("git before 2.54 has hooks in folders only")


def test_a_spawner_whose_request_breaks_off_ends() -> None:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-I", "-S", spawner_process.__file__, str(theirs.fileno())]
    with theirs, subprocess.Popen(command, pass_fds=[theirs.fileno()]) as process:
        theirs.close()
        socket.send_fds(ours, [(9).to_bytes(spawner_process.LENGTH_BYTES, "big")], [0, 1, 2])
        ours.close()
        try:
            assert process.wait(20) == 0
        finally:
            process.kill()


@pytest.mark.parametrize("command", [("bench", "mine"), ("measure", "mine")])
def test_a_bench_that_does_not_say_what_it_runs_is_one_line(foreign: Lab, command: tuple[str, ...]) -> None:
    (foreign.place / "perflab.toml").write_text('[bench.mine]\ncompare = ["a", "b"]\nharness = "go"\n')
    assert "nothing to measure" in foreign(*command, status=2).stderr


def test_a_ledger_of_no_topic_takes_no_other_with_it(foreign: Lab) -> None:
    (foreign.place / "perflab.toml").write_text('[bench.mine]\ncompare = ["true", "true #"]\n')
    ledgers = foreign.place / "perflab" / "claims"
    ledgers.mkdir(parents=True)
    claim = "claims: [{id: a, kind: order, statement: s, baseline: 'true', candidate: true-2, scenario: time}]\n"
    for name, topic in (("bad", "gone"), ("good", "mine")):
        (ledgers / f"{name}.yaml").write_text(f"report: {name}\ntitle: t\ncomponent: {topic}\n{claim}")
    said = foreign("claims", "--json")
    assert "bad is left out" in said.stderr
    assert '"good"' in said.stdout
    assert "gone" in foreign("claims", "bad", status=2).stderr
    foreign("reproduce", "mine", "--dry-run")
