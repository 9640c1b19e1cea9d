"""Keeping a reproduction as the committed reference, for maintainers."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec

from perflab.claims.evidence import Results
from perflab.host.git import this_revision
from perflab.host.machine import this_machine
from perflab.model.errors import BenchError, UsageError
from perflab.model.files import atomic, remove
from perflab.store.records import TESTS_FILE, find_profiles, find_tests, profile_folder
from perflab.store.runs import find_runs

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.claims.reproduce import Reproduction
    from perflab.model.lab import Lab


_RUN_FILES: tuple[str, ...] = ("run.json", "end.json", "samples.npz", "forks.npz", "forks.json")
_PROFILE_FILES = ("profile-record.json",)


def keep_as_reference(result: Reproduction) -> list[Path]:
    """Put a reproduction's runs, profiles and tests into `datasets/reference`, and its notebooks into `notebooks`.

    What stood there for the same topics goes.

    Returns:
        What was written.
    """
    if result.problems or result.left_out or result.settings.headlines:
        raise BenchError("only a reproduction of all claims without problems is a reference", "see above; run it again")
    lab = result.lab
    if this_revision(lab.root).dirty:
        raise UsageError("the checkout has uncommitted changes, so the measured state is not recorded", "commit first")
    topics = {ledger.component for ledger in result.ledgers}
    used = {name for one in result.verdicts.values() for name in one.evidence.runs}
    used |= {run.id for table in result.tables for run in table.runs.values()}
    # Verdicts are this machine's, too.
    here = [Results.local(lab, topic) for topic in sorted({*topics, *(table.component for table in result.tables)})]
    runs = [run for shelf in here for run in shelf.runs if run.id in used]
    profiles = [profile.id for shelf in here for profile in shelf.profiles if profile.id in used]
    missing = [run.id for run in runs if not set(_RUN_FILES) <= {path.name for path in run.folder.iterdir()}]
    if missing:
        raise BenchError(f"run {missing[0]} is not sealed", "run it again")
    # Resolve all paths before removing anything: committed folders may be links.
    folder, tests = lab.reference / "runs", lab.reference / TESTS_FILE
    copies = [(run.folder, folder / run.id, _RUN_FILES) for run in runs]
    copies += [
        (profile_folder(name, lab.results), profile_folder(name, lab.reference), _PROFILE_FILES) for name in profiles
    ]
    notebooks = {one: lab.root / lab.notebooks.name / one.name for one in result.notebooks}
    # What a claim names as its evidence stays.
    _clear(lab.reference, topics, used - {run.id for run in runs} - set(profiles))
    written = [_copy(*one) for one in copies]
    written.append(_tests(lab, tests, topics, used))
    for notebook, place in notebooks.items():
        shutil.copy(notebook, place)
    return [*written, *notebooks.values()]


def _clear(reference: Path, topics: set[str], kept: set[str]) -> None:
    for run in find_runs(reference):
        if run.header.component in topics and run.id not in kept:
            remove(run.folder)
    for record in find_profiles(reference):
        if record.component in topics and record.id not in kept:
            remove(profile_folder(record.id, reference))


def _copy(source: Path, target: Path, names: tuple[str, ...]) -> Path:
    target.mkdir(parents=True)
    for name in names:
        shutil.copy(source / name, target / name)
    return target


def _tests(lab: Lab, path: Path, topics: set[str], used: set[str]) -> Path:
    kept = [record for record in find_tests(lab.reference) if record.component not in topics]
    here = [record for record in find_tests(lab.results) if record.machine == this_machine().id]
    newest = {(record.component, record.test): record for record in here if record.test in used}
    with atomic(path) as draft:
        draft.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in [*kept, *newest.values()]))
    return path
