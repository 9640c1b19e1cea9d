"""`lab init`, and the benches that a project's file has by their names."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from perflab.bench.interface import find_harness
from perflab.cli.output import Output, with_output
from perflab.model.errors import StoreError, UsageError
from perflab.model.files import atomic
from perflab.model.lab import program
from perflab.model.names import is_id
from perflab.model.project import FILE, SavedBench, nearest_project
from perflab.topics.catalogue import find_components
from perflab.topics.revisions import find_commit, provide_tree, prune_trees, top_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perflab.model.lab import Lab


_HEAD = """# The file of this project for perflab; docs/bench.md of perflab lists the keys.
version = 1

# What is measured here goes to .perflab/results, with this repository's commit.
# results = ".perflab/results"
"""
_LINKED = r"target_link_libraries\s*\(\s*([\w.-]+)[^()]*"
_PYPERF = r"\b(?:import pyperf|from pyperf import)\b"
_BUILDS = (
    # file, what it says of a harness, the option, what that runs: the file itself where there is nothing
    ("CMakeLists.txt", rf"{_LINKED}benchmark::benchmark|google-?benchmark", "gbench", "./build/bench"),
    ("Makefile", r"-lbenchmark\b", "gbench", "./bench"),
    ("CMakeLists.txt", rf"{_LINKED}Catch2::|Catch2", "catch2", "./build/tests"),
    ("Cargo.toml", r"\bcriterion\b", "criterion", "."),
    ("Cargo.toml", r"\bdivan\b", "divan", "."),
    (
        "pom.xml",
        r"(?s)\A(?=.*\bjmh-core\b)(?:.*?<(?:uberjar\.name|finalName)>([\w.-]+)<)?",
        "jmh",
        "target/benchmarks.jar",
    ),
    ("build.gradle", r"\bjmh\b", "jmh", "build/libs/benchmarks.jar"),
    ("build.gradle.kts", r"\bjmh\b", "jmh", "build/libs/benchmarks.jar"),
    ("*_test.go", r"\bfunc Benchmark", "go", "."),
    ("test_*.py", r"\bdef test\w*\([^()]{0,200}\bbenchmark\b", "pytest", ""),
    ("bench*.py", r"\bdef test\w*\([^()]{0,200}\bbenchmark\b", "pytest", ""),
    ("bench*/*.py", r"\bdef test\w*\([^()]{0,200}\bbenchmark\b", "pytest", ""),
    ("asv.conf.json", r"(?s).*", "asv", "benchmarks"),
    ("bench*.py", _PYPERF, "pyperf", ""),
    ("bench*/*.py", _PYPERF, "pyperf", ""),
    ("package.json", r"\bvitest bench\b", "vitest", "."),
    *(
        (file, rf"""(?:\bfrom|\bimport|\brequire\()\s*['"]{name}['"]""", name, "")
        for name in ("tinybench", "mitata")
        for file in ("bench*.*[jt]s", "bench*/*.*[jt]s", "*.bench.*[jt]s")
    ),
)
_PLAIN = re.compile(r"[\w.-]+")
"""File and folder names that need no quotes in TOML or a shell."""
_MOST_SUGGESTED = 20


@click.command("init", epilog="Example: cd my-project; ./lab init")
@click.pass_obj
@with_output
def init_command(output: Output, lab: Lab) -> None:  # noqa: ARG001 - click's
    """Make this folder a project: write a perflab.toml that says what its build files suggest.

    Results then stay in the project, with its own commits, and `./lab bench --save NAME` keeps a bench by a name.
    """
    folder = Path.cwd()
    if os.path.lexists(folder / FILE):
        raise UsageError(f"there is a {FILE} here already", "edit it; docs/bench.md lists the keys")
    found = list(suggested(folder))
    text = _HEAD + "".join(
        f"\n# {build} mentions {harness}. Build it, name its benchmarks, and remove the #:\n"
        f'# [bench.{name}]\n# harness = "{harness}"\n# of = ["{target}"]\n# compare = ["OLD", "NEW"]\n'
        for name, (build, harness, target) in zip(_names(found), found, strict=True)
    )
    if not found:
        text += (
            f"\n# A bench by a name. Remove the #, then: {program()} bench mine\n"
            '# [bench.mine]\n# compare = ["sort -u words", "awk \'!s[$0]++\' words"]\n'
        )
    _write(folder / FILE, text)
    around = nearest_project(folder.parent)
    if around is not None:
        output.note(f"{around / FILE} no longer counts in this folder")
    for build, harness, target in found:
        output.say(f"{build}: {program()} bench --{harness} {target} OLD NEW")
    if found:
        output.say(f"{program()} gate compares all of these with the main branch, as they are")
    output.say(f"wrote {FILE}; {program()} bench 'COMMAND' 'COMMAND' measures, with --save NAME also to repeat it")
    output.result({"wrote": FILE, "harnesses": [harness for _, harness, _ in found]})


def suggested(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield files in this folder and two levels below that mention a harness: the file, the harness and its target."""
    found: set[tuple[str, Path]] = set()
    for name, pattern, harness, target in _BUILDS:
        for path in [one for below in ("", "*/", "*/*/") for one in sorted(folder.glob(f"{below}{name}"))]:
            own = path.relative_to(folder)
            what = harness, own.parent / target if target else own
            foreign = "node_modules" in own.parts or not all(map(_PLAIN.fullmatch, own.parts))
            if what in found or len(found) == _MOST_SUGGESTED or foreign:
                continue
            try:
                text = path.read_bytes().decode("utf-8", "replace")
            except OSError:
                continue
            if mentioned := list(re.finditer(pattern, text, re.IGNORECASE)):
                found.add(what)
                if linked := next((one[1] for one in mentioned if one.lastindex), None):
                    # CMake builds in one folder, with the source's subfolders in it.
                    below = harness != "jmh" and (folder / "CMakeLists.txt").exists()
                    build = Path("build", own.parent) if below else own.parent / Path(target).parent
                    what = harness, build / f"{linked}{Path(target).suffix}"
                # Without ./ a program in this folder would be looked up on the PATH.
                yield own.as_posix(), harness, f"{'./' if target.startswith('./') else ''}{what[1]}"


def _names(found: Sequence[tuple[str, str, str]]) -> list[str]:
    """Name each suggested bench after its harness, numbered from the second on."""
    harnesses = [harness for _, harness, _ in found]
    earlier = [harnesses[:number].count(harness) for number, harness in enumerate(harnesses)]
    return [f"{name}-{number + 1}" if number else name for name, number in zip(harnesses, earlier, strict=True)]


def _write(path: Path, text: str) -> None:
    try:
        # Follow links within the project; a full disk must not lose the present text.
        with atomic(path.resolve()) as draft:
            draft.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}", "make its folder writable") from None


def check_new_bench(lab: Lab, name: str) -> Path:
    """Return the project's file, or raise if it cannot take a bench of this name."""
    file = lab.root / FILE
    if nearest_project(Path.cwd()) != lab.root:
        raise UsageError("there is no project here to save it in", f"{program()} init makes this folder one")
    if not is_id(name):
        raise UsageError(f"{name!r} cannot name a bench", "letters, digits, '.', '_' and '-', no leading '.' or '-'")
    if name in lab.benches:
        raise UsageError(f"{FILE} has a bench {name!r} already", "another name, or edit it there")
    if name in {one.name for one in find_components(lab)}:
        raise UsageError(f"there is a topic {name!r}", "another name, so that both can be measured")
    return file


def add_bench(file: Path, name: str, bench: SavedBench) -> None:
    """Write a bench into a project's file, behind what is there."""
    values = msgspec.to_builtins(bench)
    # JSON strings and lists of strings are valid TOML.
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    text = file.read_bytes().decode()
    text += "" if text.endswith("\n") else "\n"
    text += "\n".join([f'\n[bench."{name}"]', *lines]) + "\n"
    try:
        written = tomllib.loads(text.encode().decode())["bench"][name] == values
    except ValueError:
        written = False
    if not written:
        raise UsageError("these arguments cannot be written in TOML", "put it into a script, and measure that")
    _write(file, text)


def beside_revision(lab: Lab, bench: SavedBench, folder: Path, revision: str) -> SavedBench:
    """Return the bench with each target also taken from the work tree of a commit."""
    if nearest_project(folder) != lab.root:
        raise UsageError("there is no project here to keep work trees in", f"{program()} init makes one")
    if not bench.harness or not find_harness(bench.harness).builds:
        raise UsageError("--at takes a harness that builds, as --functions or --go", "build both, and name both builds")
    commit, top = find_commit(lab.root, revision), top_folder(lab.root).resolve()
    tree = provide_tree(lab, commit)
    prune_trees(lab, [commit])
    earlier = []
    for target in bench.of:
        place = os.path.relpath((folder / target).resolve(), top)
        if not (tree.folder / place).exists():
            raise UsageError(f"{commit.short} has no {place}", "name a commit that has it")
        earlier.append(os.path.relpath(tree.folder / place, folder))
    return msgspec.structs.replace(bench, of=[*earlier, *bench.of])


def within(lab: Lab) -> str | None:
    """Return the current folder relative to the project's, or `None` if they are the same."""
    here = os.path.relpath(Path.cwd().resolve(), lab.root.resolve())
    return None if here == "." else here
