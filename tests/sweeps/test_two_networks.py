"""A sweep on two hosts with a network between them, of which one is cut off in the middle.

Each host is a network namespace of this machine; they share nothing but a virtual cable.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from clusters import LoopbackCluster, Network
from kettles import Kettles, parameters
from waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

IP = shutil.which("ip") or "/usr/sbin/ip"
# For documentation (RFC 5737): no host of these addresses is anywhere.
ADDRESSES = ("192.0.2.1", "192.0.2.2")
# A peer that does not answer is given up after so long; distributed's own default is half a minute.
IMPATIENT = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "15s"}
SIZES = list(range(1, 9))

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may make network namespaces"),
    pytest.mark.skipif(not os.access(IP, os.X_OK), reason="there is no ip (Debian: apt install iproute2)"),
]


def ip(*arguments: str) -> None:
    done = subprocess.run([IP, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


@pytest.fixture
def networks() -> Iterator[tuple[Network, Network]]:
    """Two network namespaces with a virtual cable between them."""
    names = [f"perflab-{secrets.token_hex(3)}" for _ in ADDRESSES]
    try:
        try:
            for name in names:
                ip("netns", "add", name)
        except OSError as error:
            pytest.skip(f"no network namespaces here: {error}")
        ip("link", "add", "cable", "netns", names[0], "type", "veth", "peer", "name", "cable", "netns", names[1])
        for name, address in zip(names, ADDRESSES, strict=True):
            ip("-n", name, "address", "add", f"{address}/24", "dev", "cable")
            for device in ("lo", "cable"):
                ip("-n", name, "link", "set", device, "up")
        here, there = (Network(one, (IP, "netns", "exec", name)) for one, name in zip(ADDRESSES, names, strict=True))
        yield here, there
    finally:
        for name in names:
            subprocess.run([IP, "netns", "delete", name], capture_output=True, check=False)


def test_a_host_that_is_cut_off_loses_no_point_and_none_counts_twice(
    networks: tuple[Network, Network], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    for name, value in IMPATIENT.items():
        monkeypatch.setenv(name, value)
    here, there = networks
    lab = Kettles(tmp_path / "asking")
    cluster = LoopbackCluster(tmp_path, here)
    try:
        cluster.schedule()
        near, far = cluster.host("near", here), cluster.host("far", there)
        for host in (near, far):
            host.join(cluster.address, PERFLAB_TEST_PACE_S="0.1")
        words = ("sweep", "kettle", "-v", "plain", "-v", "wide", "--over", "size=1..8:1", "--budget", "1", "--json")
        process = subprocess.Popen(
            [*here.within, sys.executable, "-m", "perflab", *words, "--on", cluster.address],
            env=lab.environment,
            cwd=lab.place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(lambda: len(near.endings()) > 0 < len(far.endings()), "no run on each host")
        arrived = len(far.runs())
        wait_for(lambda: len(far.runs()) > arrived, "no other run on the far host")
        ip("-n", there.within[-1], "link", "set", "cable", "down")
        out, said = process.communicate(timeout=600)
    finally:
        cluster.end()
    assert process.returncode == 0, said
    assert "its worker was lost, far; it is measured again" in said
    found = json.loads(out)
    assert found["missing"] == []
    assert sorted(point["params"]["size"] for point in found["points"]) == SIZES
    runs = {point["run"]: point for point in found["points"]}
    assert {folder.name for folder in lab.runs()} == set(runs)
    for folder in lab.runs():
        assert parameters(folder)["size"] == runs[folder.name]["params"]["size"]
    at = Counter(point["machine"]["host"] for point in found["points"])
    assert set(at) == {"near", "far"}
    assert 1 <= at["far"] < len(SIZES) - 1
