"""Read numbers and units as benchmarks and reports write them: size, dimension, and which direction is better.

Not pint, which knows physics: its 0.25 takes `fps` for feet a second, `rps` for revolutions, `Mb/s` for megabarns and
`cycles` for turns, and has no `ops`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perflab.model.protocol import Better


class Unit(NamedTuple):
    """A unit of measurement.

    Attributes:
        dimension: Units of one dimension can be converted: `time`, `size`, `share`, `factor`, or what is counted, as
            `cycle`; per time or size, as `request/time` and `time/size`. Of a time or size, other divisors do not
            count: a report's `us` is an operation's.
        size: In ns, bytes, ones, or these per second or byte.
        better: `None` if the unit does not tell.
        is_known: Its words are known as a unit's, so that it is not just any word.
    """

    dimension: str
    size: float
    better: Better | None
    is_known: bool


def _table(*rows: tuple[str, float]) -> dict[str, float]:
    return {name: size for names, size in rows for name in names.split()}


PREFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_SI = {"": 1.0, **PREFIXES}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
_WORDS = _table(
    ("thousand thousands kilo", 1e3), ("million millions mega mio mln", 1e6), ("billion billions giga bn", 1e9)
)
_SECOND: Final = 1e9
_TIMES = _table(
    ("ps picosecond picoseconds", 1e-3),
    ("ns nsec nsecs nanos nanosec nanosecs nanosecond nanoseconds", 1.0),
    ("us µs usec usecs µsec µsecs micros microsec microsecs microsecond microseconds", 1e3),
    ("ms msec msecs millis millisec millisecs millisecond milliseconds", 1e6),
    ("s sec secs second seconds", _SECOND),
    ("min mins minute minutes", 60 * _SECOND),
    ("h hr hrs hour hours", 3600 * _SECOND),
    ("d day days", 86400 * _SECOND),
)
_BYTES = {
    f"{prefix}{name}": size * times
    for prefix, size in {**_SI, **_BINARY, **_WORDS}.items()
    for name, times in {"B": 1, "byte": 1, "bytes": 1, "Byte": 1, "Bytes": 1, "bit": 1 / 8, "bits": 1 / 8}.items()
}
_SHARES = {"share": 1.0, "%": 0.01, "percent": 0.01, "pct": 0.01}
_FACTORS = {"x": 1.0, "times": 1.0, "fold": 1.0, "factor": 1.0}
_KINDS = {"time": _TIMES, "size": _BYTES, "share": _SHARES, "factor": _FACTORS}
_LONG = 3  # letters
_OF = re.compile(rf"({'|'.join(_TIMES)})[ ,].*|({'|'.join(_BYTES)})(?:,| (?:of|in|that)\b).*")
"""`ns until all are done`."""
_NOUNS = {
    one: noun
    for noun, others in {
        "op": "ops operation operations",
        "iteration": "iter iters iterations it",
        "request": "req reqs requests",
        "query": "queries",
        "message": "msg msgs messages",
        "transaction": "tx txs txn txns transactions",
        "element": "elem elems elements",
        "cycle": "cycles",
        "instruction": "instructions instr insn insns instrs",
        "alloc": "allocs allocation allocations",
        "miss": "misses",
        "switch": "switches",
        "call": "calls",
        "event": "events",
        "item": "items",
        "task": "tasks",
        "packet": "packets",
        "frame": "frames",
        "row": "rows",
        "key": "keys",
        "record": "records",
        "line": "lines",
        "job": "jobs",
        "io": "ios",
        "flop": "flops",
        "token": "tokens",
        "fault": "faults",
        "branch": "branches",
    }.items()
    for one in [noun, *others.split()]
}
_COSTS = re.compile(r"(?:.*[- ])?(?:cycle|instruction|alloc|miss|fault|switch|branch|syscall|error|failure|retry)s?")
"""What is better fewer; many of them in a second may be good or bad."""
_UNCLEAR_SIZES = re.compile(r"[kmgt]b")
"""Bits or bytes."""
# Short forms of rates, each of which may have a prefix. A prefix makes `ops` one: `Mops` are per second, `ops` are not.
_RATES = {
    "qps": "query",
    "rps": "request",
    "tps": "transaction",
    "fps": "frame",
    "pps": "packet",
    "iops": "io",
    "flops": "flop",
    "hz": "cycle",
    "ips": "iteration",
}
_RATE = re.compile(
    rf"(?:(?P<prefix>[kmgt])?-?(?P<short>{'|'.join(_RATES)})|(?P<of>[kmg])-?(?P<ops>ops))", re.IGNORECASE
)
_BIT_RATE = re.compile(r"(?P<prefix>[kKMGT]i?)?(?P<what>[bB])(?:ps|/s|/sec)")
_PREFIXED = re.compile(r"(?P<prefix>[kKMGT])[- ]?(?P<rest>[^\W\d]+)")
_TIMES_BEFORE = re.compile(r"[x*]?\s*(?:10\^(?P<power>\d+)|(?P<number>1(?:,?000)+|1[eE]\d+|\d+))\s*(?=[^\W\d%])")
_NOUN = re.compile(r"[^\W\d][\w.#-]*(?: [^\W\d][\w.#-]*){0,2}")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SIGNS = str.maketrans({"μ": "µ", "−": "-", "×": "x", "·": "*", "\xa0": " ", "\u2009": " ", "\u202f": " "})


@cache
def read_unit(text: str) -> Unit | None:
    """Read a unit, such as `us/op`, `M ops/s`, `requests per second`, `IOPS`, `GiB/s`, `Mbps`, `cycles/byte` or `%`.

    Returns:
        The unit; `None` if the text cannot be one. Of an unknown word it is a count: `hits`, `rows`.
    """
    text = " ".join(re.sub(r"[⁺⁻]?[⁰¹²³⁴-⁹]+", lambda one: f"^{one[0].translate(_SUPERSCRIPT)}", text).split())
    text = re.sub(r"(?:\s|\*)*\b(\w+)\^-1", r"/\1", text.translate(_SIGNS))
    if found := _BIT_RATE.fullmatch(text):
        size = {**_SI, **_BINARY}[found["prefix"] or ""] / (8 if found["what"] == "b" else 1)
        return Unit("size/time", size, "higher", is_known=True)
    times = 1.0
    if before := _TIMES_BEFORE.match(text):
        times = 10.0 ** int(before["power"]) if before["power"] else float(before["number"].replace(",", ""))
        text = text[before.end() :]
    if not re.search(r"\w|%", text):
        return None
    over, *under = re.split(r"\s*/\s*|\s+per\s+|\s+a\s+(?=second\b)|^per\s+", text)
    is_rate = bool(under) and under[0] in _TIMES
    if (found := _RATE.fullmatch(over)) and not is_rate:
        prefix = (found["prefix"] or found["of"] or "").upper()
        of = _RATES[found["short"].lower()] if found["short"] else "op"
        over, under, times = of, ["s", *under], times * _SI[prefix]
    amount = _amount(over)
    return _divided(*amount, times, under) if amount and times else None


def _divided(what: str, size: float, known: bool, times: float, under: list[str]) -> Unit | None:
    """Return the unit of an amount per others."""
    size *= times
    per: list[str] = []
    for one in under:
        number = re.match(r"\d+\s*", one)
        amount = _amount(one[number.end() :] if number else one)
        if amount is None:
            return None
        kind, least, _ = amount
        least *= float(number[0]) if number else 1
        known = True
        if kind == "time":
            size *= _SECOND / least
        elif kind == "size":
            size /= least
        elif what in {"time", "size"} and "time" not in [kind, *per]:
            continue
        per.append(kind)
    better: Better | None = None
    if per[:1] == ["time"]:
        better = None if what in {"time", "share", "factor"} or _COSTS.fullmatch(what) else "higher"
    elif what in {"time", "size"} or _COSTS.fullmatch(what) or _UNCLEAR_SIZES.fullmatch(what):
        better = "lower"
    return Unit("/".join([what, *per]), size, better, known)


def _amount(text: str) -> tuple[str, float, bool] | None:
    """Read a unit without a divisor: what it is of, its size, and whether it is known."""
    lower = text.lower()
    for kind, table in _KINDS.items():
        # `Seconds`, `MSEC` and `BYTES`, but not `mB` and `MS`, for which the letters' size matters.
        if found := table.get(text) or (table.get(lower) if len(text) >= _LONG else None):
            return kind, found, True
    if of := _OF.fullmatch(text):
        return _amount(of[1] or of[2])
    return None if lower in _KINDS else _counted(text)


def _counted(text: str) -> tuple[str, float, bool] | None:
    """Read what is counted, as `_amount`."""
    if not text:  # `/s`
        return "op", 1.0, True
    first, _, rest = text.partition(" ")
    if first.lower() in _WORDS and rest:
        amount = _amount(rest.removeprefix("of "))
        return amount and (amount[0], amount[1] * _WORDS[first.lower()], amount[2])
    if prefixed := _PREFIXED.fullmatch(text):
        noun = _NOUNS.get(prefixed["rest"].lower())
        if noun or " " in text:
            return noun or _singular(prefixed["rest"]), _SI[prefixed["prefix"]], True
    which, between, last = re.fullmatch(r"(.*?)([- ]?)([^- ]*)", text.lower(), re.DOTALL).groups()  # type: ignore[union-attr]
    if noun := _NOUNS.get(last):
        return which + between + noun, 1.0, True
    # Go's own: `p99-ns`.
    if (end := text.rpartition("-")[2]) in _TIMES:
        return "time", _TIMES[end], True
    is_noun = _NOUN.fullmatch(text) and text.rpartition(" ")[2] not in {**_TIMES, **_BYTES}  # as in `AVX2 MB`
    return (_singular(text), 1.0, False) if is_noun else None


def _singular(noun: str) -> str:
    noun = noun.lower()
    return noun[:-1] if re.search(r"[^s]s$", noun) else noun


def longest_unit(texts: Iterable[str]) -> str:
    """Return the last of ever longer texts that is another unit than those before; empty if none is a known unit.

    `requests per second` is another one than `requests`, `ms mean` none but `ms`.
    """
    found = ""
    for text in texts:
        unit, shorter = read_unit(text), read_unit(found)
        if unit and unit.is_known and (shorter is None or unit[:2] != shorter[:2]):
            found = text
    return found


def units_in(unit: str, other: str) -> float | None:
    """Return a unit's size in another: `us` in `ns/op` is 1000; `None` if they measure different things."""
    if unit == other:
        return 1.0
    mine, theirs = read_unit(unit), read_unit(other)
    return mine.size / theirs.size if mine and theirs and mine.dimension == theirs.dimension else None


def is_measured(unit: str) -> bool:
    """Return whether a unit is one of time, size, or a rate, in place of what is merely counted."""
    found = read_unit(unit)
    return bool(found and found.is_known and re.fullmatch(r"time|size|.*/.*", found.dimension))


def is_count(unit: str) -> bool:
    """Return whether a unit is of bytes, or of what is counted, in all or per other things, but not per time."""
    found = read_unit(unit.partition(" of ")[0])
    return bool(
        found and found.is_known and re.fullmatch(r"(?!share|factor|.*\btime\b)[\w-]+(/[\w-]+)?", found.dimension)
    )


def direction(unit: str) -> Better | None:
    """Return which figures of a unit are better; `None` if it does not tell: `hits`, `%`, no unit at all."""
    found = read_unit(unit)
    return found.better if found else None


class AmbiguousNumberError(ValueError):
    """`9,569`, of which nothing tells whether it is above nine thousand or below ten."""


_SPACED = re.compile(r"\d{1,3}(?:[ '’_]\d{3})+(?=\D|\Z)")
_EXPONENT = re.compile(r"(?:[eE]|\s*[x*]\s*10\s*\^?\s*)(?P<power>[+-]?\d+)\Z")
_GROUPS = {sign: re.compile(rf"\d{{1,3}}(?:\{sign}\d{{2,3}})*\{sign}\d{{3}}") for sign in ",."}
NUMBER = (
    r"[-+−]?(?:10(?:\^\d+|[⁰¹²³⁴-⁹]+)|"
    r"\d{1,3}(?:[ \u00a0\u2009\u202f'’_]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*|\.\d+)"
    r"(?:[eE][+-]?\d+|\s?[x×·*]\s?10(?:\^[+-]?\d+|[⁺⁻]?[⁰¹²³⁴-⁹]+))?"
)
"""Regular expression of what `parse_number` reads, to find it in a text."""


def parse_number(text: str, decimal: str | None = None) -> float:
    """Read a number: `1,234.5`, `1.234,5`, `1 234`, `1_000`, `9,57`, `2.5e6`, `2.5 × 10⁶`.

    Args:
        text: Nothing but the number, perhaps in blanks.
        decimal: The decimal sign, `.` or `,`; `None` if each number tells.

    Raises:
        AmbiguousNumberError: If it depends on the decimal sign, which is `None`.
        ValueError: If it is no number, or not with this decimal sign.
    """
    bare = re.sub(r"10([⁺⁻]?[⁰¹²³⁴-⁹]+)", lambda one: f"10^{one[1].translate(_SUPERSCRIPT)}", text.strip())
    bare = re.sub(r"^10\^", "1e", bare.translate(_SIGNS))
    power = _EXPONENT.search(bare)
    whole = bare[: power.start()] if power else bare
    sign, whole = (whole[:1], whole[1:].lstrip()) if whole[:1] in {"-", "+"} else ("", whole)
    if spaced := _SPACED.match(whole):
        whole = re.sub(r"\D", "", spaced[0]) + whole[spaced.end() :]
    if not re.fullmatch(r"\d[\d.,]*|\.\d+", whole) or whole[-1] == ",":
        raise ValueError(f"{text!r} is no number")
    signs = [one for one in whole if one in ",."]
    last = signs[-1] if signs else "."
    if signs.count(last) > 1 or (signs and last != decimal and decimal):
        # Then all of them stand between thousands.
        point, between = "", last
    elif len(signs) == 1 and last == "," and not decimal and _GROUPS[","].fullmatch(whole) and whole[0] != "0":
        raise AmbiguousNumberError(f"{text!r} may be {whole.replace(',', '')} or {whole.replace(',', '.')}")
    else:
        point, between = last, {".": ",", ",": "."}[last]
    integer, _, fraction = whole.partition(point) if point else (whole, "", "")
    if between in integer and not _GROUPS[between].fullmatch(integer):
        raise ValueError(f"{text!r} is no number with a decimal {decimal or point or last!r}")
    if between in fraction:
        raise ValueError(f"{text!r} is no number")
    return float(f"{sign}{integer.replace(between, '') or 0}.{fraction or 0}e{power['power'] if power else 0}")


def decimal_sign(text: str) -> str | None:
    """Return the decimal sign of the numbers with a unit in a text; `None` if none tells, or they contradict."""
    found = set[str]()
    for one, behind in re.findall(r"(?<![\w.,])(\d[\d.,]*\d) ?([^\W\d][\w/]*|%)", text):
        signs = re.sub(r"\d", "", one)
        unit = read_unit(behind)
        if not signs or not unit or not unit.is_known:
            continue
        if signs.count(signs[-1]) == 1:
            told = len(signs) > 1 or not _GROUPS[signs].fullmatch(one) or one[0] == "0"
            found |= {signs[-1]} if told else set()
        elif set(signs) == {","}:
            found.add(".")
    return found.pop() if len(found) == 1 else None
