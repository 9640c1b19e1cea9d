"""Who may join a cluster as docs/sweeps.md shows it: with a certificate, by loopback, or after a warning."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import psutil
import pytest
from clusters import QUIET, LoopbackCluster
from kettles import Kettles
from labs import ROOT
from waiting import wait_for

from perflab.measure import cluster
from perflab.measure.cluster import is_open
from perflab.model.errors import MissingError

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Here

POINT = ("kettle", "-v", "plain", "--over", "size=1", "--rounds", "2")
OPTIONS = ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY")


@pytest.fixture
def certificate(tmp_path: Path) -> dict[str, str]:
    """A certificate for all, and its key: files by what Dask calls them."""
    pytest.importorskip("cryptography")
    security = pytest.importorskip("distributed").Security.temporary()
    files = {"tls-ca-file": "cert.pem", "tls-cert": "cert.pem", "tls-key": "key.pem"}
    (tmp_path / "cert.pem").write_text(security.tls_client_cert)
    (tmp_path / "key.pem").write_text(security.tls_client_key)
    return {option: str(tmp_path / name) for option, name in files.items()}


def listening(processes: list[psutil.Process]) -> set[str]:
    """The addresses at which they can be reached."""
    found = [one for process in processes for one in process.net_connections("tcp") if one.status == "LISTEN"]
    return {str(one.laddr.ip) for one in found}


def test_a_cluster_with_certificates_measures_for_who_has_one_and_listens_where_it_was_told_only(
    tmp_path: Path, certificate: dict[str, str]
) -> None:
    lab = Kettles(tmp_path / "asking")
    tls = tuple(word for option, file in certificate.items() for word in (f"--{option}", file))
    loopback = LoopbackCluster(tmp_path, tls=tls)
    try:
        on = ("--on", loopback.schedule())
        assert loopback.address.startswith("tls://127.0.0.1:")
        assert "CLIENT__KEY" in lab("sweep", *POINT, *on, status=3).stderr
        names = dict(zip(OPTIONS, certificate.values(), strict=True))
        lab.environment |= {f"DASK_DISTRIBUTED__COMM__TLS__{name}": file for name, file in names.items()}
        worker = loopback.host("only").join(loopback.address)
        found = lab("sweep", *POINT, *on, "--json")
        assert '"missing":[]' in found.stdout.replace(" ", "")
        assert "can run programs" not in found.stderr
        processes = [psutil.Process(one.pid) for one in (worker, loopback.scheduler)]
        wait_for(lambda: listening(processes) == {"127.0.0.1"}, "it listens elsewhere, too")
    finally:
        loopback.end()


def test_a_certificate_that_cannot_be_read_is_one_line(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    with dask.config.set({"distributed.comm.tls.ca-file": "/none", "distributed.comm.tls.client.cert": "/none"}):
        monkeypatch.setattr(distributed, "Client", None)
        said = here("sweep", *POINT, "--on", "tls://127.0.0.1:1", status=3).output
    assert "No such file" in said
    assert "DASK_DISTRIBUTED__COMM__TLS__CA_FILE" in said


@pytest.mark.parametrize(
    ("address", "reached"),
    [
        ("tcp://127.0.0.1:8786", False),
        ("tcp://[::1]:8786", False),
        ("tcp://localhost:8786", False),
        ("tls://192.0.2.1:8786", False),
        ("tcp://192.0.2.1:8786", True),
        ("tcp://0.0.0.0:8786", True),
        ("tcp://localhost.example:8786", True),
        ("tcp://127.0.0.1.example:8786", True),
        ("tcp://:8786", True),
        ("ucx://192.0.2.1:8786", True),
    ],
)
def test_a_scheduler_that_others_can_reach_is_warned_of(
    here: Here, monkeypatch: pytest.MonkeyPatch, address: str, reached: bool
) -> None:
    def nobody(*_: object) -> None:
        raise MissingError("nobody answers")

    monkeypatch.setattr(cluster, "connected", nobody)
    assert is_open(address) is reached
    lines = here("sweep", *POINT, "--on", address, status=3).output.splitlines()
    warnings = [line for line in lines if "can run programs on all of its machines" in line]
    assert len(warnings) == reached
    assert all("tls://" in line and "docs/sweeps.md" in line for line in warnings)


def test_what_the_documentation_starts_has_certificates_or_listens_on_loopback() -> None:
    text = (ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8")
    values = dict(re.findall(r'^(TLS|QUIET)="(.*)"$', text, re.MULTILINE))
    shown = re.findall(r"^dask (?:scheduler|worker) .*", text, re.MULTILINE)
    commands = [shlex.split(re.sub(r"\$(\w+)", lambda name: values[name[1]], line), comments=True) for line in shown]
    assert len(commands) == 4
    assert all(" ".join(QUIET) in " ".join(words) for words in commands)
    for words in commands:
        assert {"--tls-ca-file", "--tls-cert", "--tls-key"} < set(words) or "--host 127.0.0.1" in " ".join(words)
    assert "tls" in commands[0]
    first = text.index("tcp://")
    assert text.index("tls://") < first
