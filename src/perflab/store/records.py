"""Evidence that is no run: profiles, and the tests that show a mechanism."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import msgspec

from perflab.environment import Machine, Revision
from perflab.errors import MissingError
from perflab.paths import RESULTS_DIR
from perflab.protocol import ParameterValue
from perflab.store.writing import write_whole

if TYPE_CHECKING:
    from pathlib import Path

PROFILE_FILE = "profile-record.json"
TESTS_FILE = "tests.jsonl"


class ProfileRecord(msgspec.Struct, frozen=True):
    """A variant's profile: where it stands, and each cause's share of it in each fork (0 to 1)."""

    id: str
    created: str
    component: str
    scenario: str
    variant: str
    params: dict[str, ParameterValue]
    mode: str
    unit: str
    total: float
    ops: float
    shares: dict[str, list[float]]
    counters: dict[str, float]
    notes: list[str]
    machine: Machine
    revision: Revision


class TestRecord(msgspec.Struct, frozen=True):
    """That a test passed or did not, and when."""

    component: str
    test: str
    passed: bool
    message: str
    created: str
    revision: Revision


def profile_folder(record_id: str, results: Path | None = None) -> Path:
    """Where a profile's record and its stacks are."""
    return (results or RESULTS_DIR) / "profiles" / record_id


def write_profile(record: ProfileRecord) -> None:
    """Keep a profile's record; its stacks are in the folder already.

    Raises:
        StoreError: If the results folder cannot be written.
    """
    write_whole(profile_folder(record.id) / PROFILE_FILE, record)


def find_profiles(results: Path | None = None) -> list[ProfileRecord]:
    """All profiles, oldest first; those that cannot be read are passed over."""
    found = []
    for path in sorted(((results or RESULTS_DIR) / "profiles").glob(f"*/{PROFILE_FILE}")):
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            found.append(msgspec.json.decode(path.read_bytes(), type=ProfileRecord))
    return found


def write_tests(records: list[TestRecord]) -> None:
    """Append tests' outcomes.

    Raises:
        MissingError: If the results folder cannot be written.
    """
    path = RESULTS_DIR / TESTS_FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.writelines(msgspec.json.encode(record) + b"\n" for record in records)
    except OSError as error:
        raise MissingError(f"cannot keep the tests' outcomes: {error}", "point PERFLAB_RESULTS elsewhere") from None


def find_tests(results: Path | None = None) -> list[TestRecord]:
    """All outcomes, oldest first; a line cut short is passed over."""
    path = (results or RESULTS_DIR) / TESTS_FILE
    found = []
    for line in path.read_bytes().splitlines() if path.exists() else []:
        with contextlib.suppress(msgspec.MsgspecError):
            found.append(msgspec.json.decode(line, type=TestRecord))
    return found
