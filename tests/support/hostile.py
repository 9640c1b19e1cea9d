"""Documents that somebody else has made, who means harm or was unlucky, and a lab that they lie in."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perflab.model.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from hypothesis.strategies import SearchStrategy

    from perflab.charts.chart import Chart

_NAMES = (
    *("", ".", "..", "../..", "../../../../pwned", "/pwned", "a/b", "a\\b", ".hidden", "-rf", "--upload-pack=touch x"),
    *("a\0b", "a\nb", "\x1b[31m", "\u202egnp.exe", "\u200b", "\ud800", "a" * 300, "ä" * 200, "2024-01-01", "latest"),
    *("$(touch pwned)", "`touch pwned`", "'; DROP TABLE x; --", '"', "[/y]", "[red]x", "<script>x</script>", "a b"),
    *("](javascript:x)", "**x**", "{{ 7 * 7 }}", "%s", "NUL", "nan", "null", "C:a", "c:A", "__proto__"),
)
_NUMBERS = (0, -1, 2**31 - 1, 2**31, 2**63, -(2**63), 10**400, 1e308, 5e-324, -0.0, 1.5, float("inf"), float("nan"))
_LONG = 1_001


def _nested(depth: int) -> Any:  # noqa: ANN401 - JSON
    found: Any = []
    for _ in range(depth):
        found = [found]
    return found


VALUES: SearchStrategy[Any] = st.one_of(
    st.sampled_from(_NAMES),
    st.sampled_from(_NUMBERS),
    st.text(max_size=20),
    st.sampled_from([None, True, [], {}, [{}], {"a": 1}, _nested(90)]),
)
_BYTES = (
    *(b"", b"\xff\xfe", b"\0", b"[" * 100_000, b'{"a":' * 100_000, b"x" * (1 << 21)),
    *(b"\n", b"{}", b'"', b"\xed\xa0\x80"),
)


def _places(value: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401 - JSON
    """Each value of a document, as what it is in and its key there."""
    inside = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [place for key, one in inside for place in [(value, key), *_places(one)]]


@st.composite
def documents(draw: st.DrawFn, whole: Any) -> bytes:  # noqa: ANN401 - JSON
    """This document as JSON with some values replaced, keys renamed, gone or long, or cut and filled as bytes."""
    document = json.loads(json.dumps(whole))
    for _ in range(draw(st.integers(0, 3))):
        places = _places(document)
        if not places:
            break
        inside, key = draw(st.integers(0, len(places) - 1).map(places.__getitem__))
        change = draw(st.sampled_from(["value", "value", "value", "key", "gone", "long"]))
        if change == "value":
            inside[key] = copy.deepcopy(draw(VALUES))
        elif change == "long":
            short = inside[key] if isinstance(inside[key], list | str) and inside[key] else [1]
            inside[key] = short * (_LONG // len(short) + 1)
        else:
            value = inside.pop(key)
            if change == "key" and isinstance(inside, dict):
                inside[draw(st.sampled_from(_NAMES))] = value
    encoded = json.dumps(document).encode()
    if draw(st.integers(0, 4)) == 0:
        at = draw(st.integers(0, len(encoded)))
        encoded = encoded[:at] + draw(st.sampled_from(_BYTES)) + encoded[at + draw(st.integers(0, 9)) :]
    return encoded


def lines(wholes: list[Any]) -> SearchStrategy[bytes]:
    """A file of such documents, one a line."""
    return st.tuples(*(documents(one) for one in wholes)).map(lambda found: b"\n".join(found) + b"\n")


def attack(cases: int, strategy: SearchStrategy[Any], check: Callable[[Any], None]) -> None:
    """Check so many cases: a few are always the same, so that CI never fails by chance; many differ each time."""

    @settings(
        max_examples=cases,
        derandomize=cases < FEW_AT_MOST,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def run(case: Any) -> None:  # noqa: ANN401 - whatever the strategy makes
        check(case)

    run()


FEW_AT_MOST = 100


def harmless(act: Callable[[], object]) -> None:
    """It ends, and if it fails, then by an error that is one line for people."""
    try:
        act()
    except LabError as error:
        assert type(error) is not LabError  # noqa: PT017 - which one it is says the status
        assert "\n" not in error.message  # noqa: PT017


def state(folder: Path, *but: Path) -> dict[str, bytes]:
    """All that is in a folder, but for what may be written."""
    return {
        str(path): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
        if not any(path == one or path.is_relative_to(one) for one in but)
    }


def drawable(charts: Iterable[Chart]) -> None:
    """Each is JSON, and one that cannot be drawn says in one line why."""
    for chart in charts:
        json.dumps(chart.figure_json, allow_nan=False)
        assert not chart.why or ("\n" not in chart.text and chart.text.endswith(chart.why))
