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
_NUMERALS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_WORDS = {"twice": 2, "thrice": 3} | {one: number for number, one in enumerate(_NUMERALS, 2)}
_TO = r"\s*(?:-|~|\u2013|to|(?(between)and|to))\s*"
_MANY = (
    rf"(?P<between>between )?(?<![\w.,/-])(?<!\bno )(?P<low>{NUMBER})"
    rf"(?:\s*(?:x|×|times)?{_TO}(?P<high>{NUMBER}))?"
)
_ABOUT = r"(?:~|about |around |roughly |nearly |almost |approximately |(?:a bit|a little|just|slightly) \w+ )?"
_BOUND = (
    r"(?:(?P<most>up to|at most|as much as|no more than|not more than|less than|under|below|<=?|≤|maximum of)|"
    r"(?P<least>at least|more than|over|above|exceeds?|no less than|>=?|≥|minimum of))?\s*"
)
_BETTER = (
    r"faster|quicker|as fast|(?:(?:higher|more|better|greater|the) )?(?:throughput|performance|speed)(?! per)|speed-?up"
)
_LESS = r"less|lower|smaller|fewer|reduced|reduction|lighter"
_WORSE = r"slower|as slow|longer|more time|as long"
_MEMORY = r"memory|ram|space|heap|allocat\w*|footprint|rss|smaller|garbage|bytes"
_TIME = r"latenc\w*|time|duration|overhead"
_FACTOR = re.compile(
    rf"{_BOUND}(?:{_ABOUT}{_MANY}\s*(?P<plus>\+)?\s*(?:x|×|times|-?fold)(?!\w)"
    rf"|\b(?P<word>{'|'.join(_WORDS)})(?: times)?)\+?\s*(?=(?P<way>(?:as )?[^.,;()]*))",
    re.IGNORECASE,
)
_X_BEFORE = re.compile(r"(?<!\w)[x×](\d+(?:\.\d+)?)(?!\w)")
_SHARE = re.compile(rf"{_BOUND}(?P<share>{NUMBER}) ?(?:%|percent|per cent)\s*(?=(?P<way>[^.,;()]*))", re.IGNORECASE)
_FROM = re.compile(
    r"\b(?:drop|fall|fell|reduc|decreas|cut|went|goes|going|improv|ris|rose|increas|grow|grew|lower|rais|shr[aiu]nk)\w*(?<!ing)"
    rf"(?: \w+){{0,4}} from (?P<old>{NUMBER})\s*(?P<one>[^\W\d][\w/%µ]*)?,? (?:down |up )?to (?P<new>{NUMBER})"
    r"\s*(?P<unit>[^\W\d][\w/%µ ]*)",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    rf"{_BOUND}{_ABOUT}(?P<between>between )?(?<![\w.,/-])(?:(?P<low>{NUMBER}){_TO})?(?P<value>{NUMBER})"
    rf"\s*(?:(?:±|\+/-)\s*{NUMBER}\s*)?(?P<unit>[^\W\d][\w/µ]*|%)(?=(?P<rest>\+|(?: [^\W\d][\w/]*){{0,4}}))",
    re.IGNORECASE,
)
_PERFORMANCE = re.compile(
    r"\b(?:tak(?:e|ing)|took|latenc|throughput|run(?:s|ning)? (?:at|in)|complet|finish|process|handle|achiev|reach|rss"
    r"|sustain|exceed|deliver|parse|parsing|cost|per (?:op|call|message|request|item|entry|event)|mean|median|average"
    r"|p\d\d|pause|allocat|memory|uses|consum|performs?\b|speed|benchmark|(?:de|en|trans)cod|decompress|compress|validat|minif|hash"
    r"|start|sort|copy|copies|serv|needs?\b|rate|ops|qps|does)",
    re.IGNORECASE,
)
_COST_BEFORE = re.compile(
    r"\b(?:memory (?:usage|use|consumption)|overhead|footprint|rss|(?:allocate|use|consume|need|take)s?)\b"
    r"(?:(?!\b(?:in|from|by|with)\b)[^.,;()]){0,30}$",
    re.IGNORECASE,
)
_COST_BEHIND = re.compile(r".* (?:of (?:memory|overhead|heap|ram)|per (?!cent))\b", re.IGNORECASE)
_NOT_CLAIMED = re.compile(
    r"\b(?:would|could|should|goal|target|planned|hope|might|may|expect\w*|not|never|nothing|no longer|\d means)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"\b(?:time-?out|interval|every|default|config\w*|window|ttl|sleeps?|delay|retr(?:y|ies)|if|until|unless|wait\w*)\b",
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
    left = sentence = _X_BEFORE.sub(r"\1x", sentence)
    for pattern, read in ((_FROM, _from_to), (_FACTOR, _factor), (_SHARE, _share)):
        for match in pattern.finditer(left):
            said = read(match, decimal)
            if said is not None:
                before = re.split(r"[,;:()]", match.string[: match.start()])[-1]
                clause = f"{before} {match.groupdict().get('way') or ''}"
                found.append(UNCLEAR if _NOT_CLAIMED.search(clause) else said)
                left = left.replace(match[0], " ; ", 1)
    figures = _figures(left, decimal)
    if figures and (_NOT_CLAIMED.search(sentence) or _SETTING.search(sentence)):
        figures = [UNCLEAR]
    found += figures
    return [UNCLEAR] if UNCLEAR in found else found


def _number(text: str, decimal: str | None) -> float | None:
    try:
        return parse_number(text, decimal)
    except ValueError:
        return None


def _from_to(match: re.Match[str], decimal: str | None) -> Said | None:
    """Read `drops from 120 ms to 40 ms`, as a factor."""
    unit = (_unit(match["unit"]) or ("", ""))[0]
    old, new = _number(match["old"], decimal), _number(match["new"], decimal)
    if not unit or not old or not new or min(old, new) <= 0:
        return None
    size, known = units_in(match["one"] or unit, unit), read_unit(unit)
    if size is None or known is None:
        return UNCLEAR
    if known.dimension == "size" and not re.search(rf"\b(?:{_MEMORY})\b", match.string, re.IGNORECASE):
        return None
    times = new / (old * size)
    times = times if known.better == "higher" else 1 / times
    return Said("ratio", times, times, "x", known.dimension == "size")


def _factor(match: re.Match[str], decimal: str | None) -> Said | None:
    """Read `3x faster`, `up to 3x less memory`, `twice as fast`, `1.5x to 2x`."""
    way = match["way"]
    if match["word"]:
        low: float | None = float(_WORDS[match["word"].lower()])
        high = low
        if match["word"].lower() not in {"twice", "thrice"} and "times" not in match[0].lower():
            return None
    else:
        low = _number(match["low"], decimal)
        high = _number(match["high"], decimal) if match["high"] else low
    near = _near(way)
    better, less, worse = (re.match(rf"(?:\w+ )?(?:{one})\b", near, re.IGNORECASE) for one in (_BETTER, _LESS, _WORSE))
    if low is None or high is None or min(low, high) <= 0:
        return UNCLEAR
    low = min(low, high)  # `Java 17 - 3x faster`
    memory = bool(re.search(rf"\b(?:{_MEMORY})\b", near, re.IGNORECASE))
    if less and not memory and not re.search(rf"\b(?:{_TIME})\b", near, re.IGNORECASE):
        return UNCLEAR
    if not (better or less or worse):
        return UNCLEAR if re.search(rf"\b(?:{_BETTER}|{_WORSE}|speed\w*|improve\w*)", way, re.IGNORECASE) else None
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
    share, near = _number(match["share"], decimal), _near(match["way"])
    part = re.match(rf"of the (?:{_TIME}|{_MEMORY})\b", near, re.IGNORECASE)
    less = re.match(rf"(?:{_LESS})\b.*\b(?:{_TIME}|{_MEMORY})\b", near, re.IGNORECASE)
    if share is None or match["least"] or match["most"] or not (part or less) or not 0 < share < 100:  # noqa: PLR2004
        return UNCLEAR if re.search(rf"{_BETTER}|{_LESS}|{_WORSE}|{_TIME}|more", near, re.IGNORECASE) else None
    times = 100 / share if part else 100 / (100 - share)
    return Said("ratio", times, times, "x", bool(re.search(rf"\b(?:{_MEMORY})\b", near, re.IGNORECASE)))


def _near(way: str) -> str:
    """Return the words that say what a number in front of them is about."""
    return " ".join(re.split(r"\b(?:and|while|but|than)\b", way)[0].split()[:5])


def _figures(text: str, decimal: str | None) -> list[Said]:
    """Read the figures in a sentence; if they are of different things, it is not clear what belongs together."""
    found: list[Said] = []
    kinds = set[str]()
    text = _MACHINE.sub(" ", text)
    for match in _FIGURE.finditer(text):
        unit = _unit(match["unit"] + match["rest"].rstrip("+"))
        value = _number(match["value"], decimal)
        low = _number(match["low"], decimal) if match["low"] else value
        if unit is None:
            continue
        kind = unit[1]
        if kind == "size" and not (_COST_BEFORE.search(text[: match.start()]) or _COST_BEHIND.match(match["rest"])):
            continue
        kinds.add(kind)
        least = match["least"] or re.match(r"\+| or more| and beyond", (match["unit"] + match["rest"])[len(unit[0]) :])
        if value is not None and value <= 0:
            is_none = value == 0 and kind != "time" and direction(unit[0]) == "lower"
            found += [Said("bound", None, 0, unit[0], kind == "size")] if is_none else []
        elif value is None or low is None:
            found.append(UNCLEAR)
        elif least or match["most"]:
            found.append(Said("bound", low if least else None, None if least else value, unit[0], kind == "size"))
        else:
            found.append(Said("absolute", low, value, unit[0], kind == "size"))
    if not found or not _PERFORMANCE.search(text):
        return []
    return found if len(kinds) == 1 else [UNCLEAR]


def _unit(text: str) -> tuple[str, str] | None:
    """Return the unit of a figure that is measured, and what it is of: a `time`, a `size` or a rate."""
    words = text.split(" ")
    unit = longest_unit(" ".join(words[: number + 1]) for number in range(len(words)))
    known = read_unit(unit) if direction(unit) and is_measured(unit) else None
    return (unit, known.dimension) if known and not re.match(r".*\d|.*bits?$", unit) else None
