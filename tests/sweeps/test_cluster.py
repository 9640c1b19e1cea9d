"""Sweeps on a cluster: workers in processes of their own are separate hosts, and lose their lives in the middle."""

from __future__ import annotations

import json
import shutil
import signal
from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from clusters import Host, LoopbackCluster
from kettles import Kettles, parameters
from waiting import wait_for

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

TWO = ("-v", "plain", "-v", "wide")
SIZES = [1, 2, 3, 4, 5, 6, 7, 8]
EIGHT = ("sweep", "kettle", *TWO, "--over", "size=1..8:1", "--budget", "1")
STAMP = timedelta(milliseconds=2)
"""Forks are stamped in milliseconds."""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LoopbackCluster]:
    pytest.importorskip("distributed")
    found = LoopbackCluster(tmp_path)
    found.schedule()
    yield found
    found.end()


@pytest.fixture
def lab(tmp_path: Path) -> Kettles:
    """Who asks for the sweep, on a host that does not measure."""
    return Kettles(tmp_path / "asking")


def records(lab: Kettles) -> list[dict[str, Any]]:
    return [json.loads(line) for file in lab.results.glob("sweeps/*/points.jsonl") for line in file.open()]


def check_whole(lab: Kettles, found: dict[str, Any]) -> None:
    """All eight points are there, each once, by one machine, with a run of all forks that can be read."""
    assert found["missing"] == []
    assert sorted(point["params"]["size"] for point in found["points"]) == SIZES
    runs = {point["run"]: point for point in found["points"]}
    assert {folder.name for folder in lab.runs()} == set(runs), "what was not counted did not arrive, either"
    assert len(records(lab)) == len(runs) == len(SIZES)
    for folder in lab.runs():
        point = runs[folder.name]
        assert parameters(folder)["size"] == point["params"]["size"]
        assert json.loads((folder / "run.json").read_text())["machine"]
        assert json.loads((folder / "end.json").read_text())["reason"] not in {"interrupted", "failed"}
    machines = [point["machine"]["host"] for point in found["points"]]
    assert machines == sorted(machines, key=machines.index), "those of a machine stand together"
    again = json.loads(lab("compare", found["points"][-1]["run"], "--json").stdout)
    assert again["comparisons"] == found["points"][-1]["comparisons"]


def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    return process.communicate(timeout=180)


def test_a_worker_that_is_killed_loses_no_point_and_none_counts_twice(cluster: LoopbackCluster, lab: Kettles) -> None:
    left, right = cluster.host("left"), cluster.host("right")
    victim = left.join(cluster.address, PERFLAB_TEST_PACE_S="0.1")
    right.join(cluster.address, PERFLAB_TEST_PACE_S="0.1")
    process = lab.start(*EIGHT, "--json", "--on", cluster.address)
    wait_for(lambda: len(left.endings()) > 0 < len(right.endings()), "no run on each host")
    begun = len(left.runs())
    wait_for(lambda: len(left.runs()) > begun, "no other run")
    victim.kill()
    out, said = finish(process)
    assert process.returncode == 0, said
    found = json.loads(out)
    check_whole(lab, found)
    assert "its worker was lost, left; it is measured again" in said
    at = Counter(point["machine"]["host"] for point in found["points"])
    assert set(at) == {"left", "right"}
    assert at["left"] == len(left.endings()) < len(left.runs()), "what the dead worker had finished counts"
    assert at["right"] == len(right.runs())
    assert lab.sweep("--show", "latest") == found
    shown = lab("sweep", "--show", "latest").stdout
    assert shown.count("kettle boil over size, against plain, on ") == 2, "a table for each machine"
    assert len(list(lab.results.glob("charts/*/*@left/*.html"))) == 2


def lose_client(process: subprocess.Popen[str], _: LoopbackCluster) -> None:
    process.kill()


def interrupt(process: subprocess.Popen[str], _: LoopbackCluster) -> None:
    process.send_signal(signal.SIGINT)


def lose_scheduler(_: subprocess.Popen[str], cluster: LoopbackCluster) -> None:
    cluster.scheduler.kill()


@pytest.mark.parametrize(
    ("end", "status"),
    [
        pytest.param(lose_client, -signal.SIGKILL, id="the client is killed"),
        pytest.param(interrupt, 130, id="the user interrupts"),
        pytest.param(lose_scheduler, 3, id="the scheduler is killed"),
    ],
)
def test_a_sweep_that_was_broken_off_goes_on_without_measuring_again_what_it_has(
    cluster: LoopbackCluster, lab: Kettles, end: Callable[[subprocess.Popen[str], LoopbackCluster], None], status: int
) -> None:
    left = cluster.host("left")
    left.join(cluster.address, PERFLAB_TEST_PACE_S="0.1")
    process = lab.start(*EIGHT, "--on", cluster.address)
    wait_for(lambda: len(records(lab)) >= 2 and left.measuring(), "fewer than two points")
    end(process, cluster)
    _, said = finish(process)
    assert process.returncode == status, said
    kept = lab.sweep("--show", "latest", status=4)
    first = {point["run"] for point in kept["points"]}
    assert 2 <= len(first) < len(SIZES)
    if status > 0:
        assert f"./lab sweep --resume {kept['sweep']} --on {cluster.address}" in said
    if end is lose_scheduler:
        assert "is lost" in said
        cluster.schedule()
        right = cluster.host("right")
        right.join(cluster.address)
    else:
        wait_for(lambda: not left.held(), "the worker does not see that nobody waits")
        assert len([reason for reason in left.endings() if reason != "interrupted"]) == len(first)
    assert "--on tcp://HOST:PORT" in lab("sweep", "--resume", "latest", status=2).stderr
    whole = lab.sweep("--resume", "latest", "--on", cluster.address)
    assert whole["sweep"] == kept["sweep"]
    assert first < {point["run"] for point in whole["points"]}
    check_whole(lab, whole)


def test_two_workers_of_one_host_never_measure_at_once_and_a_program_has_the_hosts_environment(
    cluster: LoopbackCluster, lab: Kettles, tmp_path: Path
) -> None:
    host, seen = cluster.host("only"), tmp_path / "seen.jsonl"
    host.environment.pop("PYTHONHASHSEED", None)
    slot = ("--resources", "measuring=1")
    host.join(
        cluster.address, *slot, PERFLAB_TEST_PACE_S="0.1", PERFLAB_TEST_ENVIRONMENT=str(seen), MKL_NUM_THREADS="2"
    )
    process = lab.start(*EIGHT, "--json", "--on", cluster.address)
    wait_for(seen.exists, "no point on the worker that has a nanny")
    host.join(cluster.address, "--no-nanny", *slot, PERFLAB_TEST_PACE_S="0.1")
    out, said = finish(process)
    assert process.returncode == 0, said
    found = json.loads(out)
    check_whole(lab, found)
    assert {point["machine"]["host"] for point in found["points"]} == {"only"}
    forks = [json.loads(line) for run in host.runs() for line in (run / "forks.jsonl").open()]
    spans = sorted((datetime.fromisoformat(one["started"]), timedelta(seconds=one["wall_s"])) for one in forks)
    for (begun, lasted), (following, _) in pairwise(spans):
        assert following >= begun + lasted - STAMP
    environments = [json.loads(line) for line in seen.open()]
    for given in ("MALLOC_TRIM_THRESHOLD_", "OMP_NUM_THREADS", "PYTHONHASHSEED"):
        assert not any(given in one for one in environments), f"{given} is Dask's"
    assert all(one["MKL_NUM_THREADS"] == "2" for one in environments), "and this one the host's own"


def differing(host: Host) -> None:
    """The host has another source of the component."""
    folder = host.folder / "components"
    shutil.copytree(Path(host.environment["PERFLAB_COMPONENTS"]), folder)
    program = folder / "kettle" / "bench.py"
    program.write_text(program.read_text() + "# a little different\n")
    host.environment["PERFLAB_COMPONENTS"] = str(folder)


def registrations(host: Host) -> int:
    """How many of its workers the scheduler has known."""
    log = host.folder / "worker.log"
    return log.read_text(encoding="utf-8").count("Registered to") if log.exists() else 0


def test_where_no_machine_can_take_part_it_says_why_and_what_to_type(cluster: LoopbackCluster, lab: Kettles) -> None:
    other = cluster.host("other")
    other.join(cluster.address, "--no-nanny", "--name", "general")
    wait_for(lambda: registrations(other) == 1)
    on = ("--on", cluster.address, "--patience", "2")
    said = lab(*EIGHT, *on, status=3).stderr
    assert "has a measuring slot" in said
    assert f'dask worker {cluster.address} --resources "measuring=1" --nthreads 1' in said
    differing(other)
    other.join(cluster.address)
    wait_for(lambda: registrations(other) == 2)
    said = lab("sweep", "--resume", "latest", *on, status=3).stderr
    assert "other: its sources of kettle differ" in said
    same = cluster.host("same")
    same.join(cluster.address)
    found = lab.sweep("--resume", "latest", "--on", cluster.address)
    check_whole(lab, found)
    assert other.runs() == []


def test_a_point_that_cannot_be_measured_is_missing_with_its_reason(cluster: LoopbackCluster, lab: Kettles) -> None:
    cluster.host("only").join(cluster.address)
    found = lab.sweep("kettle", *TWO, "--over", "size=12..14:1", "--on", cluster.address, status=4)
    assert sorted(point["params"]["size"] for point in found["points"]) == [12, 14]
    (gap,) = found["missing"]
    assert gap["params"] == {"size": 13}
    assert gap["machine"]["host"] == "only"
    assert "nobody boils 13 litres" in gap["why"]


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ((*EIGHT, "--patience", "3"), 2, "--patience is for machines of a cluster"),
        ((*EIGHT, "--on", "localhost"), 2, "tcp://HOST:PORT"),
        (("sweep", "--show", "latest", "--on", "tcp://127.0.0.1:1"), 2, "--show measures nothing"),
        (("sweep", "--resume", "latest", "--on", "tcp://127.0.0.1:1"), 2, "is one of a single machine"),
    ],
)
def test_wrong_use_is_one_line_with_the_fix(lab: Kettles, arguments: tuple[str, ...], status: int, says: str) -> None:
    if "latest" in arguments:
        lab("sweep", "kettle", "-v", "plain", "--over", "size=1", "--rounds", "2")
    said = lab(*arguments, status=status).stderr
    assert says in said
    assert "Traceback" not in said
