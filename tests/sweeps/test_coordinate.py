"""The coordinator against a cluster in which what goes wrong does so exactly where a test wants it."""

from __future__ import annotations

from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from clustersweep import HEADER as SWEEP
from labs import FIXTURES
from runs import HEADER as RUN
from runs import MACHINE, write_run
from silent import Silent

from perflab.measure import cluster as coordinate
from perflab.measure.cluster import Answer, Connection, Order, Outcome, measure_on, read_answer
from perflab.measure.grid import points_of
from perflab.model.errors import BenchError, MissingError
from perflab.model.lab import Lab
from perflab.model.protocol import Scenario
from perflab.store.baselines import pack_run
from perflab.store.records import Arm
from perflab.store.sweeps import find_sweep, open_sweep
from perflab.topics.catalogue import find_component

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perflab.store.records import RunHeader

pytest.importorskip("distributed")

HEADER = msgspec.structs.replace(SWEEP, options={"rounds": 3, "pilot": 0.05})
LAB = replace(Lab.from_environment(), components=FIXTURES / "components")


@dataclass
class Task:
    """A task of which the test decides whether and how it ends."""

    point: dict[str, Any]
    worker: str
    number: int
    outcome: bytes | BaseException | None = None
    cancelled: bool = False

    def done(self) -> bool:
        return self.outcome is not None

    def result(self, timeout: float) -> bytes:
        assert timeout > 0
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        assert self.outcome is not None
        return self.outcome

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class Scripted:
    """Dask's client, as far as it is used; `happens` is called with each task as soon as it is handed out."""

    folder: Path
    happens: Callable[[Task], None]
    workers: list[str] = field(default_factory=lambda: ["left", "right"])
    tasks: list[Task] = field(default_factory=list)
    status: str = "running"
    silent: bool = False

    @property
    def scheduler(self) -> Scripted:
        return self

    def sync(self, asked: Callable[..., dict[str, Any]], **arguments: int) -> dict[str, Any]:
        return asked(**arguments)

    def identity(self, n_workers: int) -> dict[str, Any]:
        assert n_workers == -1
        if self.silent:
            raise OSError
        one = {"resources": {"measuring": 1.0}, "status": "running"}
        return {"workers": {name: {**one, "name": name} for name in self.workers}}

    def submit(self, _: object, content: bytes, *, workers: list[str], **options: object) -> Task:
        assert options == {"allow_other_workers": False, "resources": {"measuring": 1}, "pure": False}
        (worker,) = workers
        assert worker in self.workers
        assert not any(one.worker == worker and not one.done() and not one.cancelled for one in self.tasks)
        self.tasks.append(Task(dict(msgspec.msgpack.decode(content, type=Order).point), worker, len(self.tasks)))
        self.happens(self.tasks[-1])
        return self.tasks[-1]

    def answer(self, task: Task, outcome: Outcome = "measured", why: str = "", **lies: object) -> bytes:
        """An answer whose run has these fields in place of what was ordered."""
        made = Answer(outcome, f"{MACHINE.id}@{task.worker}", task.worker, "a machine", why)
        if outcome == "measured":
            # Its forks were found to need another length.
            fitted = {"options": {"rounds": 3, "pilot": 0.0}, "planned": ordered(task.point).options}
            header = msgspec.structs.replace(ordered(task.point), **{**fitted, **lies})
            name = f"20260101-000000-toy-sum-{task.number:04}"
            run = write_run(self.folder / task.worker, name=name, header=header, machine=header.machine)
            made = msgspec.structs.replace(made, files=pack_run(run))
        return msgspec.msgpack.encode(made)

    def finish(self, task: Task) -> None:
        task.outcome = self.answer(task)


def ordered(point: dict[str, Any]) -> RunHeader:
    """The run that is planned at a point, with arms as those of a bench, which say what they start."""
    arms = [msgspec.structs.replace(arm, params={"of": f"./{arm.label}"}) for arm in RUN.arms]
    asked: dict[str, Any] = {"preset": HEADER.preset, "options": HEADER.options, "reproduction": False}
    return msgspec.structs.replace(RUN, params=point, arms=arms, **asked)


class Course:
    """A sweep of three points over a scripted cluster."""

    def __init__(self, client: Scripted, results: Path, patience_s: float = 1.0) -> None:
        self._client, self._results, self._patience_s = client, results, patience_s
        self.finished: list[tuple[int, str]] = []

    def go(self) -> None:
        plan: Any = SimpleNamespace(
            sweep=open_sweep(HEADER, self._results),
            points=points_of(HEADER.over),
            plan=SimpleNamespace(component=find_component(LAB, "toy"), header=lambda: ordered({})),
        )
        client: Any = self._client
        measure_on(
            Connection(client, "tcp://somewhere:1", self._patience_s),
            plan,
            Silent(),
            lambda point, _, host: self.finished.append((int(point["size"]), host)),
        )

    def records(self) -> dict[int, list[str]]:
        """What is on disk: for each size the runs, or the reasons."""
        found: dict[int, list[str]] = {}
        for record in find_sweep("latest", self._results).records.values():
            found.setdefault(int(record.params["size"]), []).append(record.run or record.why)
        return found

    def lines(self) -> int:
        return len((self._results / "sweeps" / HEADER.id / "points.jsonl").read_text().splitlines())


@pytest.fixture
def quickly(components: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing is slept for, and the workers are looked at all the time."""
    monkeypatch.setattr(coordinate.time, "sleep", lambda _: None)
    monkeypatch.setattr(coordinate, "_LOOK_S", 0.0)
    return components


@pytest.mark.usefixtures("quickly")
def test_a_point_whose_worker_is_lost_goes_to_another_and_its_late_answer_to_nobody(
    results: Path, tmp_path: Path
) -> None:
    def happens(task: Task) -> None:
        if task.number == 0:
            client.workers.remove(task.worker)
            return
        client.finish(task)
        lost = client.tasks[0]
        if lost.cancelled and not lost.done():
            # It is back, and has measured the point after all.
            client.finish(lost)

    client = Scripted(tmp_path / "there", happens)
    course = Course(client, results)
    course.go()
    assert client.tasks[0].cancelled
    assert client.tasks[0].done()
    assert sorted(size for size, _ in course.finished) == [1, 2, 3]
    assert course.lines() == 3
    late = "20260101-000000-toy-sum-0000"
    assert late not in {run for runs in course.records().values() for run in runs}
    assert not (results / "runs" / late).exists()


@pytest.mark.usefixtures("quickly")
def test_an_answer_that_dies_with_its_worker_is_measured_again(results: Path, tmp_path: Path) -> None:
    def happens(task: Task) -> None:
        if task.number == 0:
            task.outcome = TimeoutError()
            gone.append(task.worker)
        else:
            client.finish(task)
            client.workers = [name for name in client.workers if name not in gone]

    gone: list[str] = []
    client = Scripted(tmp_path / "there", happens)
    course = Course(client, results)
    course.go()
    assert sorted(size for size, _ in course.finished) == [1, 2, 3]
    assert len(client.tasks) == 4
    assert course.lines() == 3


@pytest.mark.usefixtures("quickly")
def test_a_broken_connection_costs_the_points_that_were_under_way_and_no_more(results: Path, tmp_path: Path) -> None:
    def happens(task: Task) -> None:
        # More often than a worker may be lost: this is not the point's fault.
        if task.number < 5:
            task.outcome = CancelledError()
        else:
            client.finish(task)

    client = Scripted(tmp_path / "there", happens)
    course = Course(client, results)
    course.go()
    assert {size: len(runs) for size, runs in course.records().items()} == {1: 1, 2: 1, 3: 1}
    assert all(run.startswith("2026") for runs in course.records().values() for run in runs)


@pytest.mark.usefixtures("quickly")
def test_a_point_at_which_workers_are_lost_again_and_again_is_left_out_with_the_reason(
    results: Path, tmp_path: Path
) -> None:
    def happens(task: Task) -> None:
        if task.point["size"] == 2:
            client.workers.remove(task.worker)
            client.workers.append(f"{task.worker}'")
        else:
            client.finish(task)

    client = Scripted(tmp_path / "there", happens, workers=["only"])
    course = Course(client, results)
    course.go()
    assert sorted(size for size, _ in course.finished) == [1, 3]
    (why,) = course.records()[2]
    assert "its worker was lost 3 times" in why
    assert sum(task.point["size"] == 2 for task in client.tasks) == 3


@pytest.mark.usefixtures("quickly")
def test_a_machine_that_refuses_is_asked_once_and_the_other_measures_all(results: Path, tmp_path: Path) -> None:
    def happens(task: Task) -> None:
        if task.worker == "left":
            task.outcome = client.answer(task, "refused", "no compiler")
        else:
            client.finish(task)

    client = Scripted(tmp_path / "there", happens)
    course = Course(client, results)
    course.go()
    assert sum(task.worker == "left" for task in client.tasks) == 1
    assert {host for _, host in course.finished} == {"right"}
    assert course.lines() == 3


FIRST, SECOND = ordered({}).arms
LIES: dict[str, dict[str, Any]] = {
    "another point": {"params": {"size": 4}},
    "no point": {"params": {}},
    "another component": {"component": "cups"},
    "another scenario": {"scenario": Scenario("product", "a product", "ns", "lower")},
    "another variant": {"arms": [FIRST, msgspec.structs.replace(SECOND, variant="c")]},
    "another baseline": {"baseline": "b"},
    "another preset": {"preset": "quick"},
    "another seed": {"seed": 2},
    "a run that claims may rest on": {"reproduction": True},
    "a run that measures how alike two runs are": {"kind": "noise"},
    "a plug-in": {"plugin": "other.so"},
    "other parameters of a variant": {
        "arms": [msgspec.structs.replace(FIRST, params={"of": "./a", "size": 4}), SECOND]
    },
    "another label": {"arms": [FIRST, msgspec.structs.replace(SECOND, label="c")]},
    "other rounds": {"planned": {"rounds": 1000, "pilot": 0.05}},
    "one more variant": {"arms": [FIRST, SECOND, Arm("b size=4", "b", "after", params={"size": 4})]},
    "another machine": {"machine": msgspec.structs.replace(MACHINE, cores=64)},
}


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_the_run_of_something_else_is_not_kept_and_its_machine_is_not_asked_again(
    results: Path, tmp_path: Path, lie: dict[str, Any]
) -> None:
    def happens(task: Task) -> None:
        task.outcome = client.answer(task, **(lie if task.worker == "left" else {}))

    client = Scripted(tmp_path / "there", happens)
    course = Course(client, results)
    course.go()
    assert sum(task.worker == "left" for task in client.tasks) == 1
    assert {host for _, host in course.finished} == {"right"}
    assert {run.name for run in (results / "runs").iterdir()} == {run for (run,) in course.records().values()}


@pytest.mark.usefixtures("quickly")
def test_a_machine_that_calls_its_run_like_another_takes_no_further_part(results: Path, tmp_path: Path) -> None:
    def happens(task: Task) -> None:
        if task.worker == "left":
            write_run(results, name=f"20260101-000000-toy-sum-{task.number:04}", cpu="another")
        client.finish(task)

    client = Scripted(tmp_path / "there", happens)
    course = Course(client, results)
    course.go()
    assert sum(task.worker == "left" for task in client.tasks) == 1
    assert {host for _, host in course.finished} == {"right"}


def test_an_answer_without_end_and_a_host_that_names_no_host_are_no_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = ordered({"size": 1})
    with pytest.raises(msgspec.MsgspecError, match="host"):
        read_answer(msgspec.msgpack.encode(Answer("busy", "m@left", "left\x1b[2J", "a machine")), planned)
    monkeypatch.setattr(coordinate, "_MOST_BYTES", 2**20)
    with pytest.raises(BenchError, match="MiB"):
        read_answer(bytes(2**20 + 1), planned)


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("wrong", [ModuleNotFoundError("No module named 'perflab'"), RuntimeError("no"), b"\x93"])
def test_where_nobody_can_measure_patience_ends_with_the_reasons(
    results: Path, tmp_path: Path, wrong: bytes | Exception
) -> None:
    def happens(task: Task) -> None:
        task.outcome = wrong

    client = Scripted(tmp_path / "there", happens)
    with pytest.raises(MissingError) as error:
        Course(client, results).go()
    assert "left: " in error.value.message
    assert "right: " in error.value.message
    assert 'dask worker tcp://somewhere:1 --resources "measuring=1" --nthreads 1' in error.value.hint
    assert f"--resume {HEADER.id} --on tcp://somewhere:1" in error.value.hint
    assert len(client.tasks) == 2


@pytest.mark.usefixtures("quickly")
def test_a_run_that_cannot_be_kept_ends_the_sweep_and_cancels_what_is_under_way(results: Path, tmp_path: Path) -> None:
    def happens(task: Task) -> None:
        if task.number == 1:
            (results / "arriving").write_text("no folder")
            client.finish(task)

    client = Scripted(tmp_path / "there", happens)
    with pytest.raises(MissingError, match="cannot keep a run"):
        Course(client, results).go()
    assert all(task.cancelled for task in client.tasks)


@pytest.mark.usefixtures("quickly")
def test_a_scheduler_that_does_not_answer_any_more_ends_the_sweep_with_the_way_to_go_on(
    results: Path, tmp_path: Path
) -> None:
    def happens(task: Task) -> None:
        if task.number == 0:
            client.finish(task)
        client.silent = True

    client = Scripted(tmp_path / "there", happens)
    course = Course(client, results)
    with pytest.raises(MissingError, match="is lost") as error:
        course.go()
    assert f"--resume {HEADER.id} --on tcp://somewhere:1" in error.value.hint
    assert len(course.finished) == course.lines() == 1
    client.silent, client.happens = False, client.finish
    course.go()
    assert sorted(size for size, _ in course.finished) == [1, 2, 3]
