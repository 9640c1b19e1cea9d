"""Check a project's Markdown against its ledgers: figures between markers, and figures that no claim covers."""

from __future__ import annotations

import math
import re
from contextlib import nullcontext
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt

from perflab.claims.draft import figures_in_prose
from perflab.claims.evidence import Results
from perflab.claims.ledger import find_ledgers, read_ledger
from perflab.claims.verdict import judge_ledger
from perflab.model.errors import AmbiguousError, UsageError, one_line, unknown
from perflab.model.units import NUMBER, is_measured, units_in
from perflab.store.bundles import open_bundle

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perflab.claims.ledger import Ledger
    from perflab.claims.prose import Said
    from perflab.claims.verdict import Verdict
    from perflab.host.git import Revision
    from perflab.model.lab import Lab
    from perflab.store.records import ProfileRecord, RunHeader

_MARKER = re.compile(r"<!--\s*(?P<end>/?)perflab\b(?=[:\s-]):?\s*(?P<what>[^>]*?)\s*-->")
_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\r\n]*?(?<!`)\1(?!`)")
_LINE_END = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_NUMERAL = re.compile(rf"(?<![\w.])({NUMBER})\s*([x×%]|[^\W\d][\w/µ]*)")
_ROUNDED = 0.03
"""By what share a figure of a text may differ from a ledger's."""


class _Source(NamedTuple):
    """When, on what commit and where a run, a profile or a test was made; tests do not name the machine."""

    created: str
    commit: str
    machine: str


class Standing(NamedTuple):
    """A claim of a ledger, with its verdict and what that rests on."""

    ledger: Ledger
    verdict: Verdict
    sources: list[_Source]

    @property
    def name(self) -> str:
        """The claim's name, which no other ledger's has."""
        return f"{self.ledger.report}/{self.verdict.claim.id}"

    @property
    def fails(self) -> bool:
        """Say whether the claim lacks evidence, or is contradicted by it.

        If a ledger marks some of its claims as expected, only these are contradicted by what they do not expect.
        """
        claim, word = self.verdict.claim, self.verdict.word
        if word == "not run":
            return True
        if any(one.expected for one in self.ledger.claims):
            return self.verdict.short or (claim.expected and word == "void")
        # Its direction holds, and its size is known to be another.
        other_size = word == "direction only" and not self.verdict.size_undecided
        return other_size or word in {"overstated", "refuted", "void"}


class Spot(NamedTuple):
    """What stands between two markers, from `start` to `end`, and what belongs there: `None` if that is not known."""

    line: int
    what: str
    start: int
    end: int
    stands: str
    says: str | None

    @property
    def difference(self) -> tuple[int, str, str] | None:
        """The first line that differs, as it stands and as it should be."""
        if self.says is None or self.says == self.stands:
            return None
        both = zip_longest(self.stands.split("\n"), self.says.split("\n"), fillvalue="")
        return next((self.line + number, *pair) for number, pair in enumerate(both) if pair[0] != pair[1])


def judge_all(lab: Lab, bundle: Path | None = None, *, reference: bool = False) -> list[Standing]:
    """Judge the claims of all ledgers by this machine's results, else by the committed ones.

    Args:
        lab: The project.
        bundle: Judge by this evidence bundle alone.
        reference: Judge by the committed results alone.
    """
    found = []
    with open_bundle(bundle) if bundle else nullcontext() as opened:
        for name in find_ledgers(lab.claims):
            ledger = read_ledger(name, lab.claims)
            topic = ledger.component
            if opened:
                places = [Results.bundle(opened[1], topic, opened[0].machine)]
            else:
                places = [] if reference else [Results.local(lab, topic)]
                places.append(Results.reference(lab, topic))
            found += [Standing(ledger, one, _sources(one, places)) for one in judge_ledger(lab, ledger, places)]
    return found


def _sources(verdict: Verdict, places: Sequence[Results]) -> list[_Source]:
    used = set(verdict.evidence.runs)
    found = []
    for place in (one for one in places if one.origin == verdict.evidence.origin):
        records: list[RunHeader | ProfileRecord] = [*(run.header for run in place.runs), *place.profiles]
        found += [_Source(one.created, _commit(one.revision), one.machine.title) for one in records if one.id in used]
        tests = {one.test: one for one in place.tests if one.test in used}
        found += [_Source(one.created, _commit(one.revision), "") for one in tests.values()]
    return found


def _commit(revision: Revision) -> str:
    return revision.commit[:7] + (" with changes" if revision.dirty else "")


def read_spots(path: Path, text: str, standings: Sequence[Standing]) -> list[Spot]:
    """Find the markers of a Markdown text outside code, and what belongs between them; errors name file and line."""
    spots: list[Spot] = []
    begin: re.Match[str] | None = None
    for match in _MARKER.finditer(_without_code(text)):
        if begin is None and match["end"]:
            raise UsageError(f"{_at(path, text, match)}: this marker closes none", "<!-- perflab: CLAIM --> opens one")
        if begin is None:
            begin = match
            continue
        if not match["end"]:
            break
        stands = text[begin.end() : match.start()].replace("\r\n", "\n")
        try:
            says = _said(begin["what"], standings)
        except UsageError as error:
            raise type(error)(f"{_at(path, text, begin)}: {error.message}", error.hint) from None
        line = text.count("\n", 0, begin.end()) + 1
        spots.append(Spot(line, begin["what"], begin.end(), match.start(), stands, says))
        begin = None
    if begin:
        raise UsageError(f"{_at(path, text, begin)}: a marker is not closed", "<!-- /perflab --> closes it")
    return spots


def _at(path: Path, text: str, match: re.Match[str]) -> str:
    return f"{path}:{text.count(chr(10), 0, match.start()) + 1}"


def _without_code(text: str) -> str:
    """Return Markdown with blanks in place of code, so that everything else stays where it is."""
    lines = _LINE_END.split(text)
    for token in MarkdownIt("commonmark").parse(text):
        if token.type in {"fence", "code_block"} and token.map:
            for number in range(*token.map):
                lines[number] = " " * len(lines[number])
    return _CODE.sub(lambda code: " " * len(code[0]), "".join(lines))


def _said(what: str, standings: Sequence[Standing]) -> str | None:
    word, *names = what.split() or [""]
    if word == "ignore":
        return None
    if word in {"table", "measured"}:
        chosen = standings if word == "measured" and not names else _chosen(names, standings)
        measured = _measured(chosen)
        return measured and (f"\n{_table(chosen)}\n\n{measured}\n" if word == "table" else measured)
    verdict = _find(word, standings).verdict
    if names and names not in (["value"], ["verdict"]):
        raise UsageError(
            f"after a claim comes value, verdict or nothing, not {' '.join(names)!r}",
            "docs/claims.md lists the markers",
        )
    estimate = verdict.evidence.estimate
    if verdict.word == "not run":
        return None
    if estimate is None or names == ["verdict"]:
        return verdict.word
    return estimate.value_text if names else str(estimate)


def _find(name: str, standings: Sequence[Standing]) -> Standing:
    found = [one for one in standings if name in {one.verdict.claim.id, one.name}]
    if not found:
        raise unknown("claim", name, (one.verdict.claim.id for one in standings))
    if len(found) > 1:
        raise AmbiguousError(
            f"several ledgers have a claim {name!r}", f"write {' or '.join(one.name for one in found)}"
        )
    return found[0]


def _chosen(names: Sequence[str], standings: Sequence[Standing]) -> list[Standing]:
    """Return the claims of these names, of reports those that lead."""
    reports = dict.fromkeys(one.ledger.report for one in standings)
    found = []
    for name in names or reports:
        if name in reports:
            found += [one for one in standings if one.ledger.report == name and one.verdict.claim in one.ledger.lead]
        else:
            found.append(_find(name, standings))
    return found


def _table(standings: Sequence[Standing]) -> str:
    several = len({one.ledger.report for one in standings}) > 1
    columns = ["report"] * several + ["claim", "verdict", "why"]
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for one in standings:
        claim = one.verdict.claim
        statement = f"*ours:* {claim.statement}" if claim.ours else claim.statement
        cells = [f"`{one.ledger.report}`"] * several
        cells += [_plain(statement), f"**{one.verdict.word}**", _plain(one.verdict.reason)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _plain(text: str) -> str:
    return one_line(text).replace("<", "&lt;").replace("|", r"\|")


def _measured(standings: Sequence[Standing]) -> str | None:
    """Say when, at which commit and on which machine the evidence was measured; `None` if there is none."""
    sources = sorted({source for one in standings for source in one.sources})
    if not sources:
        return None
    days = list(dict.fromkeys(one.created[:10] for one in sources))
    commits = list(dict.fromkeys(one.commit for one in sources if one.commit))
    machines = list(dict.fromkeys(_plain(one.machine) for one in sources if one.machine))
    text = f"Measured on {days[0]}" if len(days) == 1 else f"Measured from {days[0]} to {days[-1]}"
    if commits:
        text += f" at commit {commits[0]}" if len(commits) == 1 else f" at {len(commits)} commits up to {commits[-1]}"
    return f"{text}{' on ' * bool(machines)}{'; '.join(machines)}."


def renewed(text: str, spots: Sequence[Spot]) -> str:
    """Return a text with what belongs between its markers, in its own line ends."""
    end = "\r\n" if "\r\n" in text else "\n"
    for spot in reversed(spots):
        if spot.says is not None:
            text = text[: spot.start] + spot.says.replace("\n", end) + text[spot.end :]
    return text


def uncovered(text: str, spots: Sequence[Spot], standings: Sequence[Standing]) -> list[tuple[int, str]]:
    """Return the sentences with figures that stand between no markers and that no claim mentions, with their lines."""
    for spot in reversed(spots):
        text = text[: spot.start] + "\n" * spot.stands.count("\n") + text[spot.end :]
    found = (
        (line, sentence)
        for line, sentence, said in figures_in_prose(text)
        if not any(_mentions(one.verdict, sentence, said) for one in standings)
    )
    return list(dict.fromkeys(found))


def _mentions(verdict: Verdict, sentence: str, said: Said) -> bool:
    claim, estimate = verdict.claim, verdict.evidence.estimate
    if _numerals(sentence) & _numerals(claim.statement):
        return True
    bounds = [getattr(claim, "at_least", None), getattr(claim, "at_most", None)]
    figures = [one for one in (*(claim.published.range or ()), *bounds) if one is not None]
    size = (
        units_in(said.unit, claim.published.unit or (estimate.unit if estimate else said.unit)) if said.unit else None
    )
    ends = [size * end for end in (said.low, said.high) if end is not None] if size else []
    return bool(ends) and all(any(math.isclose(end, one, rel_tol=_ROUNDED) for one in figures) for end in ends)


def _numerals(text: str) -> set[str]:
    found = _NUMERAL.findall(text)
    return {f"{number}{unit}".replace("×", "x") for number, unit in found if unit in "x×%" or is_measured(unit)}
