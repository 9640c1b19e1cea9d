"""Reports and bundles hold nothing of who measured and where, and no secret, and say what they replaced."""

from __future__ import annotations

import json
import socket
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import nbformat.v4 as nb
import numpy as np
import pytest
from evidence_by_hand import ARMS, RUN, SUM, lay_out
from runs import HEADER, MACHINE, write_run
from sites import build_site

from perflab.claims.bundled import export
from perflab.cli.crash import crash
from perflab.kernels.notebooks import clean
from perflab.model.errors import UsageError
from perflab.model.protocol import Runtime
from perflab.model.redact import Redactor
from perflab.stats.columns import Columns
from perflab.store.records import Arm
from perflab.store.tables import read_table, write_table

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.model.lab import Lab

HOME, USER, HOST, SECRET = "/home/kanari-é", "canaryuser", "kanari-host-7", 'kanari "& secret'
CANARIES = ("kanari", "canaryuser")
TOKEN = "ghp_" + "kanari0123456789"
TEXT = f"{HOME}/x.py: /data/{USER}/y and {USER}@{HOST}.example: {SECRET} {TOKEN}"


@pytest.fixture(autouse=True)
def _somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", HOME)
    monkeypatch.setenv("LOGNAME", USER)
    monkeypatch.setenv("DEPLOY_TOKEN", SECRET)
    monkeypatch.setenv("A_KEY", "short")
    monkeypatch.setenv("EDITOR", "an-editor")
    monkeypatch.setattr(socket, "gethostname", lambda: HOST)


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"{HOME} {HOME}/x -I{HOME}/x file://{HOME}/x {HOME}s {HOME}.d", f"~ ~/x -I~/x file://~/x {HOME}s {HOME}.d"),
        ("file:///home/kanari-%C3%A9/x", "file://~/x"),
        (f"{USER} /data/{USER}/x {USER}@a {USER}s my_{USER}", f"user /data/user/x user@a {USER}s my_user"),
        (f"{HOST} {HOST}.corp.example:80 KANARI-HOST-7 x{HOST}", f"host host:80 host x{HOST}"),
        (f"x{SECRET}y short an-editor", "x***y short an-editor"),
        ("kanari%20%22%26%20secret", "***"),
        *((f"a {token}, b", "a ***, b") for token in (
            TOKEN, "github_pat_11ABCDEFG0abc", "glpat-abcdefghij12", "npm_" + "a1" * 18, "AKIA" + "A1" * 8,
            "AIza" + "a-" * 17, "xoxb-1234567890-abc", "sk-" + "a1" * 12, "eyJhbGciOiJI.eyJzdWIiOiIx.abc",
            "-----BEGIN RSA PRIVATE KEY-----\nMII/+=\n-----END RSA PRIVATE KEY-----",
        )),
        ("-----BEGIN PRIVATE KEY-----\nMII/+=", "***"),
        ("task-of-a-very-long-name-0123456789 ghp_ sk-1", "task-of-a-very-long-name-0123456789 ghp_ sk-1"),
        (f"{TOKEN} {TOKEN}1 {TOKEN}", "*** ***2 ***"),
        (f'{{"{USER}": "{USER}", "a {USER}": 1}}', f'{{"{USER}": "user", "a user": 1}}'),
        (f'<{USER} class="{USER}" a="{USER}">{USER}</{USER}>', f'<{USER} class="{USER}" a="user">user</{USER}>'),
        ("'kanari &quot;&amp; secret' kanari &#34;&amp; secret", "'***' ***"),
        (f"\x1b[31m{USER}\x1b[0m", "\x1b[31muser\x1b[0m"),
    ],
)  # fmt: skip
def test_what_is_private_is_replaced_and_nothing_else(text: str, redacted: str) -> None:
    assert Redactor()(text) == redacted


@pytest.mark.parametrize("ascii_only", [True, False])
def test_json_stays_what_it_is(ascii_only: bool) -> None:
    key = ["-----BEGIN PRIVATE KEY-----\n", "MII\n", "-----END PRIVATE KEY-----\n"]
    value = {"a": f"\n{HOME}\n{USER}\n{SECRET}\n{TOKEN}\n", "key": key}
    text = Redactor()(json.dumps(value, ensure_ascii=ascii_only))
    assert json.loads(text) == {"a": "\n~\nuser\n***\n***2\n", "key": ["***3\n"]}


@pytest.mark.parametrize(("home", "text"), [("/", "1/2 /a"), ("", "1/2 /a"), ("/ada", "/mnt/ada/x /adas")])
def test_a_short_home_is_no_part_of_other_folders(home: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", home)
    assert Redactor()(text) == text


@pytest.mark.parametrize("name", ["root", "ada", "perflab"])
def test_a_name_that_is_no_persons_stays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", name)
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    assert Redactor()(f"{name} is here") == f"{name} is here"


def test_it_counts() -> None:
    redact = Redactor()
    redact(f"{HOME} {HOME}/a")
    redact(f"{HOME} {SECRET}")
    assert str(redact) == "DEPLOY_TOKEN once, home folder 3 times"
    assert not str(Redactor())


@pytest.fixture
def private(own_lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A lab with what is private in a run, a notebook and a document."""
    for place in ("perflab.claims.evidence", "perflab.claims.bundled"):
        monkeypatch.setattr(f"{place}.this_machine", lambda: MACHINE)
    found = lay_out(tmp_path)
    results = found["reference"]
    path = results / "runs" / RUN / "end.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"warnings": [TEXT]}))
    folder = results / "runs" / RUN
    forks = read_table(folder / "forks.npz", "forks")
    write_table(folder / "forks.npz", Columns(forks | {"stderr": np.full(forks.rows, TEXT)}))
    run = results / "runs" / RUN / "run.json"
    header = msgspec.json.decode(run.read_bytes())
    run.write_text(json.dumps(header | {"runtime": msgspec.to_builtins(Runtime("CPython", TEXT, []))}))
    root = tmp_path / "checkout"
    outputs = [nb.new_output("stream", text=TEXT), nb.new_output("display_data", {"text/html": f"<p>{TEXT}</p>"})]
    cells = [nb.new_markdown_cell(f"# A\n\n{TEXT}"), nb.new_code_cell(f"{HOME}/a", outputs=outputs)]
    (root / "notebooks").mkdir(parents=True)
    (root / "notebooks" / "a.ipynb").write_text(nb.writes(nb.new_notebook(cells=cells)), encoding="utf-8")
    (root / "docs").mkdir()
    (root / "docs" / "measuring.md").write_text(f"# M\n\n{TEXT}\n\n```python\n{HOME}/a\n```", encoding="utf-8")
    return replace(own_lab, claims=found["claims"], results=results, root=root)


def assert_clean(files: list[Path]) -> None:
    for path in files:
        shown = str(read_table(path, path.stem)) if path.suffix == ".npz" else path.read_bytes().decode()
        assert [canary for canary in CANARIES if canary in shown] == [], path


def test_a_report_holds_none(private: Lab, tmp_path: Path) -> None:
    places = {"claims": private.claims, "reference": private.results, "root": private.root}
    site = build_site(tmp_path / "site", notebooks=True, **places)
    files = [path for path in (tmp_path / "site").rglob("*") if path.is_file() and path.suffix not in {".js", ".woff2"}]
    assert {f"{RUN}.html", "forks.csv", "a.ipynb", "a.html", "measuring.html"} <= {path.name for path in files}
    assert_clean(files)
    for kind in ("home folder", "DEPLOY_TOKEN", "token", "user name", "host name"):
        assert f"{kind} " in site.replaced


def test_an_executed_notebook_and_a_crash_hold_none() -> None:
    cell = nb.new_code_cell("1", outputs=[nb.new_output("stream", text=TEXT)])
    cleaned = clean(nb.new_notebook(cells=[cell])).cells[0].outputs[0].text
    assert cleaned == "~/x.py: /data/user/y and user@host: *** ***2"
    assert "~/x.py: /data/user/y" in crash(ValueError(TEXT)).message


def test_a_bundle_holds_none(private: Lab, tmp_path: Path) -> None:
    _, replaced = export(private, ["toys"], tmp_path / "mine.zip")
    with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
        archive.extractall(tmp_path / "mine")
    assert_clean([path for path in (tmp_path / "mine").rglob("*") if path.is_file()])
    for kind in ("home folder", "DEPLOY_TOKEN", "token", "user name", "host name"):
        assert f"{kind} " in replaced


def test_variants_that_would_become_one_are_not_exported(private: Lab, tmp_path: Path) -> None:
    arms = [*ARMS, Arm(f"{HOME}/a", "a", "after"), Arm("~/a", "b", "after")]
    header = msgspec.structs.replace(HEADER, scenario=SUM, arms=arms, baseline="wasteful")
    values = {arm.label: [50.0, 51.0, 52.0, 50.0, 51.0, 49.0] for arm in arms}
    write_run(private.results, name="20260101-000000-toy-sum-0009", header=header, values=values, rounds=6)
    with pytest.raises(UsageError, match="variants differ only in what is private"):
        export(private, ["toys"], tmp_path / "mine.zip")
