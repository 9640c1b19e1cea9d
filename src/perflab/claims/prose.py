"""Understand a report's sentences: a factor, a range, a bound or a figure where they say one, and nothing else."""

from __future__ import annotations

import re
from typing import NamedTuple

from perflab.model.units import NUMBER, direction, is_measured, longest_unit, parse_number, read_unit, units_in


class Said(NamedTuple):
    """What a sentence says: a `ratio`, `bound` or `absolute` claim, or `?` for one that is not understood.

    Attributes:
        kind: The claim's.
        low: The least value; `None` if there is none.
        high: The greatest one.
        unit: `x` of a factor.
        of_memory: It is about memory or size, not about time.
    """

    kind: str
    low: float | None = None
    high: float | None = None
    unit: str = ""
    of_memory: bool = False


UNCLEAR = Said("?")
_WORDS = {"twice": 2, "two": 2, "three": 3, "thrice": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10}
_MANY = rf"(?P<low>{NUMBER})(?:\s*(?:x|×|times)?\s*(?:-|\u2013|to|and)\s*(?P<high>{NUMBER}))?"
_BOUND = (
    r"(?:(?P<most>up to|at most|as much as|no more than|not more than|less than|under|below|<=?|≤|maximum of)|"
    r"(?P<least>at least|more than|over|above|no less than|>=?|≥|minimum of))?\s*"
)
_BETTER = r"faster|quicker|as fast|(?:higher|more|better|greater|the) (?:throughput|performance|speed)|speed-?up"
_LESS = r"less|lower|smaller|fewer|reduced|reduction|lighter"
_WORSE = r"slower|as slow|longer|more time|as long"
_MEMORY = r"memory|ram|space|heap|allocat\w*|footprint|rss|smaller|garbage|bytes"
_TIME = r"latenc\w*|time|duration|overhead"
_FACTOR = re.compile(
    rf"{_BOUND}(?:(?:~|about |around |roughly |nearly |almost |approximately )?{_MANY}\s*(?P<plus>\+)?"
    r"\s*(?:x|×|times|-?fold)(?!\w)"
    rf"|\b(?P<word>{'|'.join(_WORDS)})(?: times)?)\+?\s*(?P<way>(?:as )?[^.,;()]*)",
    re.IGNORECASE,
)
_SHARE = re.compile(rf"{_BOUND}(?P<share>{NUMBER}) ?(?:%|percent|per cent)\s*(?P<way>[^.,;()]*)", re.IGNORECASE)
_FROM = re.compile(
    rf"\bfrom (?P<old>{NUMBER})\s*(?P<one>[^\W\d][\w/%µ]*)?,? (?:down |up )?to (?P<new>{NUMBER})"
    r"\s*(?P<unit>[^\W\d][\w/%µ ]*)",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    rf"{_BOUND}(?<![\w.,/-])(?:~)?(?P<value>{NUMBER})\s*(?P<unit>[^\W\d][\w/µ]*(?: [^\W\d][\w/]*){{0,4}}|%)",
    re.IGNORECASE,
)
_PERFORMANCE = re.compile(
    r"\b(?:take|took|latenc|throughput|run(?:s|ning)? (?:at|in)|complet|finish|process|handle|achiev|reach|sustain"
    r"|deliver|parse|parsing|cost|per (?:op|call|message|request|item|entry|event)|mean|median|average|p\d\d|allocat"
    r"|memory|uses|consum|performs?\b|speed|benchmark|encod|decod|hash|sort|copy|copies|serv|needs?\b|rate|ops|qps|does)",
    re.IGNORECASE,
)
_NOT_CLAIMED = re.compile(
    r"\b(?:time-?out|interval|every|default|config\w*|window|ttl|sleeps?|delay|retr(?:y|ies)|would|could|should|goal|target|"
    r"plan(?:s|ned)?|hope|might|may|expect\w*|if|until|unless|wait\w*|not|never|nothing|no longer)\b",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    rf"{NUMBER}[ -]*(?:[GM]Hz|cores?|threads?|CPUs?|vCPUs?|[KMGT]i?B(?: of)? (?:RAM|memory|DDR\d?|disk|SSD|cache|L\d))"
    rf"|\bwith {NUMBER} ?[KMGT]i?B(?![\w/])",
    re.IGNORECASE,
)


def understand(sentence: str, decimal: str | None = None) -> list[Said]:
    """Return what a sentence says of performance; `?` if it has a figure that may be a claim, and is not understood."""
    found: list[Said] = []
    left = sentence
    for pattern, read in ((_FROM, _from_to), (_FACTOR, _factor), (_SHARE, _share)):
        for match in pattern.finditer(left):
            said = read(match, decimal)
            if said is not None:
                found.append(said)
                left = left.replace(match[0], " ; ", 1)
    found += _figures(left, decimal)
    if _NOT_CLAIMED.search(sentence) and found:
        return [UNCLEAR]
    return [UNCLEAR] if UNCLEAR in found else found


def _number(text: str, decimal: str | None) -> float | None:
    try:
        return parse_number(text, decimal)
    except ValueError:
        return None


def _from_to(match: re.Match[str], decimal: str | None) -> Said | None:
    """Read `drops from 120 ms to 40 ms`, as a factor."""
    unit = _unit(match["unit"])
    old, new = _number(match["old"], decimal), _number(match["new"], decimal)
    if unit is None or not old or not new or min(old, new) <= 0:
        return None
    size, known = units_in(match["one"] or unit, unit), read_unit(unit)
    if size is None or known is None:
        return UNCLEAR
    times = new / (old * size)
    times = times if known.better == "higher" else 1 / times
    return Said("ratio", times, times, "x", known.dimension == "size")


def _factor(match: re.Match[str], decimal: str | None) -> Said | None:
    """Read `3x faster`, `up to 3x less memory`, `twice as fast`, `1.5x to 2x`."""
    way = match["way"].strip()
    if match["word"]:
        low: float | None = float(_WORDS[match["word"].lower()])
        high = low
        if match["word"].lower() not in {"twice", "thrice"} and "times" not in match[0].lower():
            return None
    else:
        low = _number(match["low"], decimal)
        high = _number(match["high"], decimal) if match["high"] else low
    near = " ".join(way.split()[:5])
    better, less, worse = (re.match(rf"(?:\w+ )?(?:{one})\b", near, re.IGNORECASE) for one in (_BETTER, _LESS, _WORSE))
    if low is None or high is None or min(low, high) <= 0:
        return UNCLEAR
    memory = bool(re.search(rf"\b(?:{_MEMORY})\b", near, re.IGNORECASE))
    if less and not memory and not re.search(rf"\b(?:{_TIME})\b", near, re.IGNORECASE):
        return UNCLEAR
    if not (better or less or worse):
        return UNCLEAR if re.search(r"\bx\b|×|fold|faster|slower", match[0]) else None
    low, high = sorted((low, high))
    if worse:
        low, high = 1 / high, 1 / low
    least, most = bool(match["least"] or match["plus"]), bool(match["most"])
    if worse:
        least, most = most, least
    if least or most:
        return Said("bound", low if least else None, high if most else None, "x", memory)
    return Said("ratio", low, high, "x", memory)


def _share(match: re.Match[str], decimal: str | None) -> Said | None:
    """Read `50% less memory` and `40% of the time`; a time or rate that is some per cent faster may be two things."""
    share, near = _number(match["share"], decimal), " ".join(match["way"].split()[:5])
    part = re.match(rf"of the (?:{_TIME}|{_MEMORY})\b", near, re.IGNORECASE)
    less = re.match(rf"(?:{_LESS})\b.*\b(?:{_TIME}|{_MEMORY})\b", near, re.IGNORECASE) or re.match(
        r"smaller|shorter|fewer allocations", near, re.IGNORECASE
    )
    if share is None or match["least"] or match["most"] or not (part or less) or not 0 < share < 100:  # noqa: PLR2004
        return UNCLEAR if re.search(rf"{_BETTER}|{_LESS}|{_WORSE}|{_TIME}|more", near, re.IGNORECASE) else None
    times = 100 / share if part else 100 / (100 - share)
    return Said("ratio", times, times, "x", bool(re.search(rf"\b(?:{_MEMORY})\b", near, re.IGNORECASE)))


def _figures(text: str, decimal: str | None) -> list[Said]:
    """Read the figures in a sentence: one is a figure or a bound, of several it is not clear what they are."""
    found: list[Said] = []
    for match in _FIGURE.finditer(_MACHINE.sub(" ", text)):
        unit, value = _unit(match["unit"]), _number(match["value"], decimal)
        if unit is None:
            continue
        memory = (read_unit(unit) or UNCLEAR)[0] == "size"
        if value is None:
            found.append(UNCLEAR)
        elif match["least"] or match["most"]:
            found.append(
                Said("bound", value if match["least"] else None, value if match["most"] else None, unit, memory)
            )
        else:
            found.append(Said("absolute", value, value, unit, memory))
    if not found or not _PERFORMANCE.search(text):
        return []
    return found if len(found) == 1 else [UNCLEAR]


def _unit(text: str) -> str | None:
    """Return the unit of a figure that is measured, as a time, a size or a rate is, at the beginning of a text."""
    words = text.split(" ")
    unit = longest_unit(" ".join(words[: number + 1]) for number in range(len(words)))
    return unit if direction(unit) and is_measured(unit) else None
