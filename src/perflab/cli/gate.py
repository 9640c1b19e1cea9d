"""`lab gate`: the whole suite of a project against a revision."""

from __future__ import annotations

import hashlib
import json
import random
import re
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from perflab.cli.bench import HarnessCommand, chosen_harnesses, share
from perflab.cli.compare import GateFiles, gate_options, write_file
from perflab.cli.output import Output, show_table, with_output
from perflab.cli.project import suggested
from perflab.model.errors import UsageError
from perflab.model.format import percent
from perflab.model.lab import program
from perflab.model.project import SavedBench, nearest_project

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perflab.measure.suite import Pair, Part, Side, Suite
    from perflab.model.lab import Lab
    from perflab.topics.revisions import Commit


_EXAMPLES = """\b
Examples:
  ./lab gate
  ./lab gate v1.4 --minutes 5
  ./lab gate --only '^parse/' --threshold 1%
  ./lab gate --gbench ./build/bench --build 'cmake --build build'
  ./lab gate --bisect v1.4 main parse/json
  ./lab gate --junit gate.xml --markdown gate.md
"""
_MAIN = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
_CMAKE = ".perflab/build"
"""Where CMake builds, in both trees: a build of the user's may have other options."""
_BUILDERS = {
    "CMakeLists.txt": f"cmake -S . -B {_CMAKE} -DCMAKE_BUILD_TYPE=Release && cmake --build {_CMAKE} --parallel",
    "Makefile": "make",
    "package.json": "[ -d node_modules ] || npm ci --no-audit --no-fund",
    "pom.xml": "mvn -q -B -DskipTests package",
    "build.gradle": "./gradlew -q jmhJar",
    "build.gradle.kts": "./gradlew -q jmhJar",
}


@click.command("gate", cls=HarnessCommand, epilog=_EXAMPLES)
@click.argument("revision", required=False, metavar="[REV]")
@click.option("--build", "command", metavar="COMMAND", help="Builds the benchmarks; runs in both trees.")
@click.option("--only", metavar="REGEX", help="Compare only benchmarks whose name matches.")
@click.option(
    "--minutes", type=click.FloatRange(0.1), default=10.0, show_default=True, help="How long to measure, builds apart."
)
@click.option("--threshold", callback=share, default="2%", show_default=True, help="Smaller differences do not matter.")
@click.option(
    "--bisect",
    nargs=3,
    metavar="GOOD BAD NAME",
    help="Find the commit behind GOOD, up to BAD, that changed the benchmark NAME.",
)
@click.option("--resume", is_flag=True, help="Go on with the gate of these two versions that was interrupted.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the order.")
@gate_options
@click.pass_obj
@with_output
def gate_command(
    output: Output,
    lab: Lab,
    revision: str | None,
    command: str | None,
    only: str | None,
    minutes: float,
    threshold: float,
    seed: int,
    markdown: str | None,
    junit: str | None,
    bisect: tuple[str, str, str] | None,
    resume: bool,
    **options: Any,  # noqa: ANN401 - the targets of each harness
) -> int:
    """Compare all benchmarks of this project in the working tree with those at a git revision.

    REV is by default where this branch left the main branch; on the main branch itself the commit before. Both are
    built side by side. A screen of all benchmarks finds those that may differ; these are measured again in fresh
    processes, and only what differs there, too, beyond the threshold is called slower or faster. Unchanged code is
    blamed in fewer than one run of a hundred, however many benchmarks it has.

    Benchmarks are found as ./lab init finds them, and those that perflab.toml names; the option of a harness names
    others in their place.

    The exit status is 1 if a benchmark is slower, and 4 if one failed or the machine is unfit.
    """
    from perflab.claims.gate import result_of, status_of
    from perflab.host.lock import measurement_lock
    from perflab.measure.suite import Side, Suite, build_both, open_part
    from perflab.topics.revisions import find_commit, prune_trees

    files = GateFiles(markdown, junit)
    files.check(output)
    if nearest_project(Path.cwd()) != lab.root:
        raise UsageError("there is no project here to keep work trees in", f"{program()} init makes one")
    pattern = _pattern(only)
    commit = find_commit(lab.root, revision or ("HEAD" if bisect else _left_main(lab.root)))
    parts = list(_parts(lab, chosen_harnesses(options), command))
    if not parts:
        raise UsageError("there are no benchmarks here that perflab finds", "name them: --gbench PROGRAM; see --help")
    if bisect is not None:
        if revision is not None or files:
            raise UsageError("--bisect has its own revisions, and says one commit", "leave the others out")
        with measurement_lock(lab.lock, output.note):
            output.result(_bisect(lab, parts, bisect, threshold, seed, output))
        return 0
    with measurement_lock(lab.lock, output.note):
        then, now = _side(lab, commit, output), Side("the working tree", lab.root.absolute())
        prune_trees(lab, [commit])
        suite = Suite(then, now, threshold)
        build_both(suite, parts, output)
        for part in parts:
            open_part(suite, part, lab, output)
        suite.pairs = [one for one in suite.pairs if pattern.search(one.name)]
        if not suite.pairs:
            why = "; ".join(f"{name}: {text}" for name, text in suite.left_out.items())
            raise UsageError(f"{then.name} and the working tree share no benchmark", why or "see --only, and git log")
        journal = _Journal(lab, commit, suite, resume=resume)
        where = "" if revision else f" ({commit.subject})"
        output.say(f"{len(suite.pairs)} benchmarks, {now.name} against {then.name}{where}, {minutes:g} min at most")
        try:
            _measure(output, suite, journal, 60 * minutes, seed)
        except KeyboardInterrupt:
            _show(output, suite)
            output.note(f"interrupted; what was measured is kept: {program()} gate --resume")
            raise
    _show(output, suite)
    _write(files, suite)
    output.result(result_of(suite, commit.id))
    return status_of(suite)


def _measure(output: Output, suite: Suite, journal: _Journal, seconds: float, seed: int) -> None:
    """Screen and confirm, and say at once what is slower or faster."""
    from perflab.measure.suite import confirm_all, screen_all

    def confirmed(pair: Pair) -> None:
        journal.confirmed(pair)
        word = pair.word(suite.threshold)
        if word in {"slower", "faster"} and pair in suite.pairs and pair.comparison:
            output.say(f"{word}: {pair.name} {pair.comparison.estimate}")

    begun = time.monotonic()
    order = random.Random(seed)  # noqa: S311 - an order that can be repeated, not a secret
    screen_all(suite, seconds, order, output, journal.screened)
    confirm_all(suite, seconds - (time.monotonic() - begun), order, output, confirmed)


def _pattern(only: str | None) -> re.Pattern[str]:
    try:
        return re.compile(only or "")
    except re.error as error:
        raise UsageError(f"--only {only!r} is no regular expression: {error}") from None


def _side(lab: Lab, commit: Commit, output: Output) -> Side:
    """Return the project in a commit's work tree, made if it is missing."""
    from perflab.measure.suite import Side
    from perflab.topics.revisions import provide_tree, top_folder

    output.update(0.0, f"a work tree of {commit.short}")
    tree = provide_tree(lab, commit)
    place = lab.root.resolve().relative_to(top_folder(lab.root).resolve())
    if not (tree.folder / place).is_dir():
        raise UsageError(f"{commit.short} has no {place}", "name a revision that has it")
    return Side(commit.short, (tree.folder / place).absolute())


def _bisect(
    lab: Lab, parts: list[Part], wanted: tuple[str, str, str], threshold: float, seed: int, output: Output
) -> dict[str, Any]:
    """Find the commit that changed a benchmark, say each step, and return the JSON of `--json`."""
    from perflab.host.git import run_git
    from perflab.measure.bisect import bisect
    from perflab.topics.revisions import Commit, find_commit, prune_trees

    good, bad = (find_commit(lab.root, one) for one in wanted[:2])
    log = "log", "--reverse", "--first-parent", "--format=%H %s", f"{good.id}..{bad.id}"
    commits = [Commit(*line.split(" ", 1)) for line in run_git(lab.root, *log).splitlines()]
    if not commits:
        raise UsageError(f"{bad.short} does not follow {good.short}", "the good one first: --bisect GOOD BAD NAME")
    output.say(f"{len(commits)} commits, at most {len(commits).bit_length() + 1} of them are built")
    order = random.Random(seed)  # noqa: S311 - an order that can be repeated, not a secret
    found = bisect(
        _side(lab, good, output),
        commits,
        lambda one: _side(lab, one, output),
        wanted[2],
        parts,
        lab=lab,
        threshold=threshold,
        order=order,
        progress=output,
    )
    prune_trees(lab, [good, found.first])
    said = {True: "has the change", False: "does not have it", None: "undecided; its estimate counts"}
    rows = [[commit.short, str(factor), said[has], commit.subject] for commit, factor, has in found.steps]
    show_table(output, ["commit", f"against {good.short}", "", "subject"], rows)
    for commit, why in found.skipped.items():
        output.note(f"{commit[:7]} cannot be measured: {why}")
    among = f", or one of {len(found.among)} before it that cannot be measured" if found.among else ""
    output.say(f"{wanted[2]}: {found.change} since {found.first.short}{among}: {found.first.subject}")
    return {
        "benchmark": wanted[2],
        "first": found.first.id,
        "factor": found.change.value,
        "among": [one.id for one in found.among],
        "steps": [{"commit": one.id, "factor": factor.value, "has_it": has} for one, factor, has in found.steps],
        "skipped": found.skipped,
    }


def _left_main(root: Path) -> str:
    """Return the commit where the branch left the main one; of a main branch with no changes, the one before."""
    from perflab.host.git import run_git
    from perflab.topics.revisions import find_commit, present_commit

    present, changed = present_commit(root)
    for name in _MAIN:
        with suppress(UsageError):
            base = run_git(root, "merge-base", "HEAD", find_commit(root, name).id)
            if base != present.id or changed:
                return base
    if changed:
        return "HEAD"
    with suppress(UsageError):
        return find_commit(root, "HEAD~1").id
    raise UsageError("nothing has changed since the first commit", "change something, or name a revision")


def _parts(lab: Lab, named: dict[str, Sequence[str]], command: str | None) -> Iterator[Part]:
    """Yield what is named, else what is found here and what is saved."""
    from perflab.bench.interface import find_harness
    from perflab.measure.suite import Part

    if named:
        for harness, targets in named.items():
            for target in targets:
                yield Part(_name(harness, target), SavedBench([], harness, [target]), command or "")
        return
    seen = set[tuple[str, str]]()
    for build, harness, found in suggested(lab.root):
        target = found
        own = "" if find_harness(harness).builds else _BUILDERS.get(Path(build).name, "")
        if own and not command and Path(build).name == "CMakeLists.txt":
            target = f"./{_CMAKE}/{Path(target).relative_to('build')}"
        seen.add((harness, target))
        yield Part(_name(harness, target), SavedBench([], harness, [target]), command or own)
    for name, bench in lab.benches.items():
        for target in bench.of if bench.harness else [""]:
            if (bench.harness, target) not in seen:
                yield Part(name, msgspec.structs.replace(bench, of=[target] if target else []), command or "")


def _name(harness: str, target: str) -> str:
    """Return a name for a part that is also a valid one of a run's folder."""
    return re.sub(r"[^A-Za-z0-9]+", "-", f"{harness} {target}").strip("-")[:60]


class _Journal:
    """Keeps what was seen in a file, so that an interrupted gate can go on.

    Args:
        lab: The project.
        commit: The earlier version.
        suite: Takes up what was seen before, with `resume`.
    """

    def __init__(self, lab: Lab, commit: Commit, suite: Suite, *, resume: bool) -> None:
        from perflab.host.git import run_git
        from perflab.measure.suite import take_up

        present = run_git(lab.root, "rev-parse", "HEAD") + run_git(lab.root, "diff", "HEAD", "--binary")
        name = f"{commit.short}-{hashlib.sha256(present.encode()).hexdigest()[:12]}"
        self.path = lab.results / "gates" / f"{name}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if resume:
            if not self.path.exists():
                raise UsageError("no gate of these two versions was interrupted", "leave --resume out")
            # The last line may be cut short.
            whole, _, _ = self.path.read_text(encoding="utf-8").rpartition("\n")
            self.path.write_text(f"{whole}\n" if whole else "", encoding="utf-8")
            take_up(suite, map(json.loads, whole.splitlines()), lab.results)
        else:
            self.path.write_text("", encoding="utf-8")
        self.created = datetime.now(UTC).isoformat(timespec="seconds")

    def screened(self, pair: Pair) -> None:
        """Keep a round of the screen."""
        self._append({"pair": pair.name, "best": pair.best[-1], "mean": pair.means[-1]})

    def confirmed(self, pair: Pair) -> None:
        """Keep which run confirms or clears a benchmark."""
        self._append({"pair": pair.name, "run": pair.run.id if pair.run else None})

    def _append(self, line: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


_STYLES = {"slower": "red", "failed": "red", "faster": "green", "undecided": "yellow"}


def _show(output: Output, suite: Suite) -> None:
    from perflab.claims.gate import SHOWN, headline, notes_of, rows_of
    from perflab.stats.suite import ALARMS

    rows = [row for row in rows_of(suite) if row[0] in SHOWN]
    if rows:
        show_table(output, ["verdict", "benchmark", f"against {suite.then.name}", "from"], rows, styles=_STYLES)
    for note in notes_of(suite):
        output.note(note)
    output.say(headline(suite) + (" (a factor above 1 is better)" if rows else ""))
    held = f"all intervals hold together with {percent(1 - ALARMS)}"
    output.say(f"differences below {percent(suite.threshold)} do not count; {held}")


def _write(files: GateFiles, suite: Suite) -> None:
    from perflab.claims.gate import junit, markdown

    if files.junit:
        write_file(files.junit, junit(suite))
    if files.markdown:
        write_file(files.markdown, markdown(suite).encode())
