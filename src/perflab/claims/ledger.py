"""The ledger's records, read from `datasets/claims/REPORT.yaml`."""

from __future__ import annotations

import math
import os
import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import msgspec
import yaml

from perflab.model.errors import UsageError, one_line, unknown
from perflab.model.files import read_bytes
from perflab.model.format import units_in
from perflab.model.limits import MOST_CLAIMS, limit
from perflab.model.located import located
from perflab.model.names import LONGEST, Id, OptionalId, is_id
from perflab.model.protocol import ParameterValue
from perflab.stats.composite import Figure
from perflab.topics.catalogue import (
    check_parameters,
    find_component,
    find_metric,
    select_scenario,
    select_variants,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from perflab.model.lab import Lab
    from perflab.model.located import Step
    from perflab.model.protocol import Description, Scenario
    from perflab.topics.catalogue import Component


_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The one in C reads five ledgers in a twentieth of a second, the other one in half a second."""
_TEXT = "tag:yaml.org,2002:str"
_NO_TEXT = "a key is no text (in braces a comma ends a value: write 1024, not 1,024)"


class _Loader(_LOADER):  # type: ignore[misc, valid-type]
    """Refuses a key that is no text, and one that appears twice.

    Of the latter the value that counts would not be the one whose line an error names. Of numbers, any number can have
    one hash, and each is compared with all before it.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        if other := next((key for key, _ in node.value if key.tag != _TEXT), None):
            raise yaml.constructor.ConstructorError(problem=_NO_TEXT, problem_mark=other.start_mark)
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        if len(found) < len(node.value):
            raise yaml.constructor.ConstructorError(problem="a key appears twice in it", problem_mark=node.start_mark)
        return found


Kind = Literal["ratio", "order", "bound", "scaling", "share", "score", "mechanism", "absolute", "fidelity"]
KINDS: tuple[str, ...] = get_args(Kind)

_Sha256 = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{64})?\Z")]
_Line = Annotated[int, msgspec.Meta(ge=1, lt=2**31)]
_Share = Annotated[float, msgspec.Meta(ge=0, lt=1)]
_Factor = Annotated[float, msgspec.Meta(gt=1)]

_SYSTEM = "linux"
"""The only one that the lab runs on."""


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The figure as published: a value, or a range from `low` to `high`.

    Attributes:
        unit: As in `x` of a factor, `ns`, `ops/s`.
        value: The figure.
        low: The least of a range.
        high: The greatest of a range.
    """

    unit: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def range(self) -> tuple[float, float] | None:
        """Least and greatest published value; None if the report gives no figure."""
        low = self.low if self.low is not None else self.value
        high = self.high if self.high is not None else self.value
        if low is None or high is None:
            return None
        return low, high

    def __str__(self) -> str:
        if self.range is None:
            return ""
        low, high = self.range
        return (f"{low:g}" if low == high else f"{low:g} to {high:g}") + f" {self.unit}".rstrip()


class Needs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a machine must have so that a claim can be tested on it.

    Attributes:
        cores: That a process may use.
        os: In small letters, as in `linux`.
        device: As in `CXL`. The lab detects none, so no machine has it.
    """

    cores: Annotated[int, msgspec.Meta(ge=0, lt=2**31)] = 0
    os: OptionalId = ""
    device: OptionalId = ""

    def beyond(self, cores: float) -> str:
        """What a machine on which a process may use so many cores lacks, as in `4 cores`; empty if nothing."""
        lacking = [f"{self.cores} cores"] if cores < self.cores else []
        lacking += [self.os] if self.os not in {"", _SYSTEM} else []
        lacking += [f"a {self.device} device"] if self.device else []
        return " and ".join(lacking)


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A statement of a report, and how it is tested.

    Attributes:
        id: Its name in the ledger.
        kind: What it claims. `ratio`: the candidate is so many times better than the baseline. `order`: it is better
            than the baseline, or than each that it is ranked `over`. `score`: its score has the published figure.
            `bound`: a figure, or with a `baseline` the candidate's factor over it, is `at_most` or
            `at_least` a value, or both, as between the ends of a published range; with `over`, its factor over each of
            them is `at_least` a value. `scaling`: a figure changes so many
            times, or by a factor within such bounds, when `parameter` goes from `start` to `stop`; with a `baseline`
            the candidate's factor over it does. `share`: `cause` has
            this part of a profile, or one within such bounds, in per cent. `mechanism`: a test shows it. `absolute`: a
            figure of another machine, for scale only. `fidelity`: what this project rebuilt has about the figure, or
            with a `baseline` the factor over it, that upstream published of the original.
        statement: The statement, in our words.
        where: Where in the report it stands.
        lines: First and last line of the statement in the report's file, from 1 on.
        ours: It is this project's statement, not the report's; `where` is what it adds to.
        headline: It is one of the three to six claims that the report's own summary makes: `./lab reproduce --quick`
            judges these alone, and every reproduction judges them first.
        published: The published figure.
        baseline: The variant that the candidate is compared with.
        candidate: The variant that the claim is about.
        scenario: In which both are measured.
        metric: Of the scenario; by default its headline.
        params: Parameters of the scenario that differ from their defaults.
        at_most: The greatest value that bears it out, in the metric's unit or, of factors, as one.
        at_least: The least one.
        parameter: For `scaling`: the one that changes.
        start: For `scaling`: its first value.
        stop: For `scaling`: its last value.
        mode: For `share`: of the profile.
        cause: For `share`: the name of a `[[cause]]` of the manifest.
        tolerance: How far from the published figure still reproduces it. Of a factor, as a share of its logarithm, so
            that 2x allows 1.68x to 2.38x, and no tolerance reaches 1x. Of a share or a score, as a share of the figure.
        within: For `fidelity`: by what factor the figure may be off, as those of two machines are.
        rebuilds: For `fidelity`: the variants that it vouches for in every scenario; where none is named it vouches for
            its candidate in its own scenario. If it is refuted, they refute no claim of the report there.
        needs: What a machine must have so that the claim can be tested on it.
        test: For `mechanism`: the test.
        shows: For `mechanism`: the verdict if the test passes.
        expected: Whether the ledger is sure of it on any machine: that the claim holds, or that the mechanism's test
            passes. A run in which it does not is reported as falling short.
        missing: What testing it would need, if that is not available.
        over: The variants among which it is ranked, for `order`, `bound` and `score`. Shares of the best are of the
            best of these and the candidate.
        score: Over all scenarios of the topic's table, in place of one: its composite score (`mean`), its share in its
            `worst` scenario, or the `spread`, the mean less the worst; in per cent of the best.
        note: What is true instead.
        evidence: The run or profile that it rests on, and on no other, so that no reproduction measures it anew; by
            default it is the newest that fits and that a reproduction made.
    """

    id: Id
    kind: Kind
    statement: str
    where: str = ""
    lines: tuple[_Line, _Line] | None = None
    ours: bool = False
    headline: bool = False
    published: Published = Published()
    tolerance: _Share = 0.25
    within: _Factor = 2.0
    rebuilds: list[Id] = []
    needs: Needs = Needs()
    baseline: OptionalId = ""
    candidate: OptionalId = ""
    scenario: OptionalId = ""
    metric: Id | None = None
    params: dict[Id, ParameterValue] = {}
    at_most: float | None = None
    at_least: float | None = None
    parameter: OptionalId = ""
    start: ParameterValue | None = None
    stop: ParameterValue | None = None
    mode: Literal["cpu", "wall", "lock", "alloc"] | None = None
    cause: str = ""
    test: Annotated[str, msgspec.Meta(pattern=r"^(\w[\w.$]*#\w+)?\Z", max_length=LONGEST)] = ""
    shows: Literal["reproduced", "refuted"] = "refuted"
    expected: bool = False
    missing: str = ""
    note: str = ""
    evidence: OptionalId = ""
    over: list[Id] = []
    score: Figure | None = None

    @property
    def bounded(self) -> bool:
        """Whether it is judged by bounds, and not by the published figure."""
        return self.at_most is not None or self.at_least is not None

    @property
    def factor(self) -> bool:
        """Whether what is measured for it is a factor, and not a figure in the metric's unit."""
        return bool(self.baseline) or self.kind == "scaling" or (self.kind == "bound" and self.ranked)

    @property
    def ranked(self) -> bool:
        """Whether it is held in one scenario against several others."""
        return bool(self.over) and not self.score

    @property
    def variants(self) -> list[str]:
        """The variants that it names."""
        return [name for name in (self.baseline, self.candidate, *self.over) if name]

    @property
    def vouched(self) -> list[str]:
        """The variants that a claim of kind `fidelity` vouches for; none of another kind."""
        return (self.rebuilds or [self.candidate]) if self.kind == "fidelity" else []

    def vouches_for(self, other: Claim) -> str:
        """The variant of another claim that this one vouches for where that is tested; empty if for none."""
        # A score has the whole table in place of a scenario.
        here = bool(self.rebuilds) or other.scenario in {"", self.scenario}
        theirs = set(other.variants) if here else set()
        return next((name for name in self.vouched if name in theirs), "")

    @property
    def ends(self) -> tuple[dict[str, ParameterValue], ...]:
        """For `scaling`: the parameter's value at both ends; of another kind none."""
        values = (self.start, self.stop) if self.kind == "scaling" else ()
        return tuple({self.parameter: value} for value in values if value is not None)

    @property
    def points(self) -> list[dict[str, ParameterValue]]:
        """The parameters with which it is tested: of both ends for `scaling`."""
        return [self.params | end for end in self.ends] or [self.params]


class Ledger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A report's claims.

    Attributes:
        report: Its name, which is the file's.
        title: The report's.
        component: The topic that tests them, or the bench of a project's perflab.toml.
        claims: The claims.
        source: Where the report is from.
        sha256: Of the report's file that the claims' `lines` count in.
        beside: Variants that are measured in every run beside those that claims name, where they can.
    """

    report: Id
    title: str
    component: Id
    claims: Annotated[list[Claim], msgspec.Meta(max_length=MOST_CLAIMS)]
    source: str = ""
    sha256: _Sha256 = ""
    beside: list[Id] = []

    @property
    def lead(self) -> list[Claim]:
        """The headline claims; all of them where none is marked as one."""
        return [claim for claim in self.claims if claim.headline] or self.claims


NEEDED: dict[str, tuple[str, ...]] = {
    "ratio": ("baseline", "candidate", "scenario", "published"),
    "order": ("baseline", "candidate", "scenario"),
    "bound": ("candidate", "scenario"),
    "scaling": ("candidate", "scenario", "parameter", "start", "stop"),
    "share": ("candidate", "scenario", "mode", "cause"),
    "score": ("candidate", "score", "over", "published"),
    "mechanism": ("test",),
    "absolute": ("candidate", "scenario", "published"),
    "fidelity": ("candidate", "scenario", "published"),
}


def find_ledgers(folder: Path) -> dict[str, Path]:
    """The ledgers' files by report; none where a checkout has no folder of ledgers.

    Raises:
        UsageError: If `PERFLAB_CLAIMS` names a folder that does not exist.
    """
    if os.environ.get("PERFLAB_CLAIMS") and not folder.is_dir():
        raise UsageError(f"no folder of ledgers: {folder}", "PERFLAB_CLAIMS names it; unset it for the lab's own")
    # An editor or a file system may have put others beside them: .#cajun.yaml, ._cajun.yaml.
    return {path.stem: path for path in sorted(folder.glob("*.yaml")) if is_id(path.stem)}


def read_ledger(report: str, folder: Path) -> Ledger:
    """Read and check a report's ledger.

    Raises:
        UsageError: If there is none, or an entry is wrong; names the file and the line.
    """
    ledgers = find_ledgers(folder)
    if report not in ledgers:
        raise unknown("report", report, ledgers)
    path = ledgers[report]
    try:
        text = read_bytes(path).decode()
        _check_size(text)
        data = yaml.load(text, _Loader)  # noqa: S506 - a safe one
        if data is None:
            raise UsageError(f"{path} is empty", "docs/claims.md lists the keys")
        ledger = msgspec.convert(data, Ledger)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(f"{path}:{line}: {error.problem}") from None
    except msgspec.ValidationError as error:
        hint = f"{'fill in each ?; ' if _OPEN.search(text) else ''}docs/claims.md lists the keys"
        raise located(path, Ledger, error, partial(_line_at, text), hint) from None
    except (OSError, ArithmeticError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise UsageError(f"{path}: {str(error).partition(chr(10))[0]}", "it is no YAML, or nested too deeply") from None
    if ledger.report != report:
        raise UsageError(f"{path}:1: the report is called {ledger.report!r}, the file {report!r}", "use the same name")
    seen: set[str] = set()
    for claim in ledger.claims:
        try:
            _check(claim, seen)
        except UsageError as error:
            raise _of_claim(path, ledger, claim, error) from None
    return ledger


def readable_ledgers(folder: Path, note: Callable[[str], None]) -> list[str]:
    """The reports whose ledgers can be read; of the others it is noted why they cannot be.

    Raises:
        UsageError: If none can, and there is one.
    """
    found, wrong, size = list[str](), list[UsageError](), 0
    for name, path in find_ledgers(folder).items():
        if size > _MOST_TOGETHER:
            wrong.append(UsageError(f"{path}: the ledgers before it have {size:,} bytes", "name its report"))
            continue
        with suppress(OSError):
            size += path.stat().st_size
        try:
            read_ledger(name, folder)
            found.append(name)
        except UsageError as error:
            wrong.append(error)
    if wrong and not found:
        raise wrong[0]
    for one in wrong:
        note(f"left out: {one}")
    return found


# As `perflab.claims.draft` leaves it.
_OPEN = re.compile(r': "\?"')
_DEEPEST = 100
_MOST_NODES = 100_000
"""Of a document once each alias is what it stands for; the longest ledger has some thousands."""
_OF_A_NODE = 100
"""Characters of a value that count as one more: what an alias stands for is shown wherever it stands."""
_MOST_DIRECTIVES = 100
_MOST_TOGETHER = 1 << 20
"""Bytes of ledgers after which no other is read unless it is named: the lab's have a quarter of it."""
_LONGEST, _LONGEST_VALUE = 1 << 22, 10_000
"""Characters of a document and of a value: to read `1:1:1...` as a number takes the square of its length."""


def _check_size(text: str) -> None:
    """Refuse what would end the process: the parser in C composes by recursion, and aliases of aliases double.

    Merge keys copy what they merge, and a value of a type that a tag names may be none: no ledger needs either.

    Raises:
        TooMuchError: If it is nested too deeply, or has too many nodes.
        ValueError: If it has merge keys or tags.
    """
    limit(len(text), _LONGEST, "characters")
    # Each is compared with all before it.
    limit(text.count("%TAG"), _MOST_DIRECTIVES, "directives")
    # What is open, innermost last: its anchor and how many nodes were seen before it.
    nodes = 0
    within: list[tuple[str | None, int]] = []
    sizes: dict[str | None, int] = {}
    for event in yaml.parse(text, _LOADER):
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = within.pop()
            sizes[anchor] = nodes - before
        elif isinstance(event, yaml.NodeEvent):
            if tag := getattr(event, "tag", None):
                raise ValueError(f"tags ({one_line(tag)}) are not read: leave them out")
            size = sizes.get(event.anchor, 1) if isinstance(event, yaml.AliasEvent) else 1
            if isinstance(event, yaml.ScalarEvent):
                if event.value == "<<":
                    raise ValueError("merge keys (<<) are not read: write the values where they belong")
                limit(len(event.value), _LONGEST_VALUE, "characters of a value")
                size = sizes[event.anchor] = 1 + len(event.value) // _OF_A_NODE
            if isinstance(event, yaml.CollectionStartEvent):
                within.append((event.anchor, nodes))
                limit(len(within), _DEEPEST, "levels of nesting")
            nodes += size
            limit(nodes, _MOST_NODES, "nodes")


def _check(claim: Claim, seen: set[str]) -> None:
    if claim.id in seen:
        raise UsageError("appears twice")
    seen.add(claim.id)
    if claim.lines and claim.lines[0] > claim.lines[1]:
        raise UsageError("its first line comes after its last one", "'lines' are the first and the last")
    figures = (claim.published.value, claim.published.low, claim.published.high, claim.at_least, claim.at_most)
    if not all(one is None or math.isfinite(one) for one in figures):
        raise UsageError("a figure is no finite number")
    if claim.missing:
        return
    for name in _needed(claim):
        value = getattr(claim, name)
        if value in ("", None, []) or (isinstance(value, Published) and value.range is None):
            raise UsageError(f"a claim of kind {claim.kind} needs {name!r}", f"it needs: {', '.join(_needed(claim))}")
    if claim.ranked:
        _check_ranked(claim)
    if claim.kind == "fidelity" and not claim.ours:
        raise UsageError("a claim of kind fidelity is about what this project rebuilt", "add 'ours: true'")
    if claim.rebuilds and claim.kind != "fidelity":
        raise UsageError(f"a claim of kind {claim.kind} vouches for no variants", "'rebuilds' is for fidelity")
    _check_figures(claim)


def _check_ranked(claim: Claim) -> None:
    if claim.kind not in {"order", "bound", "score"}:
        raise UsageError(f"a claim of kind {claim.kind} ranks no variants", "'over' is for order, bound and score")
    if claim.kind == "bound" and (claim.baseline or claim.at_most is not None):
        raise UsageError("a bound over several variants has neither 'baseline' nor 'at_most'", "it has 'at_least'")


def _check_figures(claim: Claim) -> None:
    if claim.evidence and (claim.kind == "mechanism" or claim.score):
        raise UsageError("only a claim that rests on one run or profile has 'evidence'", "leave it out")
    if claim.kind in {"bound", "scaling", "share"}:
        if claim.kind != "bound" and not claim.bounded and claim.published.range is None:
            raise UsageError(f"a claim of kind {claim.kind} needs 'published', or else 'at_most' or 'at_least'")
        if claim.kind == "bound" and not claim.bounded:
            raise UsageError("a claim of kind bound needs 'at_most' or 'at_least', or both")
    elif claim.bounded:
        raise UsageError(
            f"a claim of kind {claim.kind} has no bounds", "'at_most' and 'at_least' are for bound, scaling and share"
        )
    if claim.at_most is not None and claim.at_least is not None and claim.at_least > claim.at_most:
        raise UsageError("'at_least' is above 'at_most'")
    if claim.published.range is None:
        return
    low, high = claim.published.range
    if low > high:
        raise UsageError("the published range ends before it begins")
    if claim.kind in {"ratio", "scaling"} and not claim.bounded and not (low > 1 or 0 < high < 1):
        raise UsageError(
            "a published factor is above 1, or between 0 and 1, over all its range", "with 1 in it, it is a bound"
        )


def _needed(claim: Claim) -> list[str]:
    """A ranking has others in place of one baseline, a score has the whole table in place of one scenario."""
    needed = list(NEEDED[claim.kind])
    if claim.kind == "order" and claim.over:
        needed[needed.index("baseline")] = "over"
    if claim.score and "scenario" in needed:
        needed[needed.index("scenario")] = "score"
    return needed


def _line_at(text: str, steps: Sequence[Step]) -> int:
    node: Any = yaml.compose(text, _LOADER)
    line = 1
    for step in steps:
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            place = node = node.value[step]
        elif isinstance(node, yaml.MappingNode):
            place, node = next((pair for pair in node.value if pair[0].value == step), (node, None))
        else:
            break
        line = int(place.start_mark.line) + 1
    return line


def _of_claim(path: Path, ledger: Ledger, claim: Claim, error: UsageError) -> UsageError:
    """What is wrong with a claim, with the line on which it begins."""
    number = [one.id for one in ledger.claims].index(claim.id)
    line = _line_at(path.read_text(encoding="utf-8"), ["claims", number])
    return UsageError(f"{path}:{line}: claim {claim.id!r}: {error.message}", error.hint)


def topic_of(ledger: Ledger, lab: Lab) -> Component:
    """The topic that a ledger is about.

    Raises:
        UsageError: If there is none of that name; names the file and the line.
    """
    try:
        return find_component(lab, ledger.component)
    except UsageError as error:
        path = find_ledgers(lab.claims)[ledger.report]
        line = _line_at(path.read_text(encoding="utf-8"), ["component"])
        raise UsageError(f"{path}:{line}: {error.message}", error.hint) from None


def check_ledger(ledger: Ledger, component: Component, description: Description) -> None:
    """Check every claim against what the component's bench program describes and its manifest says.

    Raises:
        UsageError: If a claim names what does not exist; names the file and the line.
    """
    path = find_ledgers(component.lab.claims)[ledger.report]
    names = {variant.name for variant in description.variants}
    for key, variants in {
        "beside": ledger.beside,
        "rebuilds": [name for one in ledger.claims for name in one.rebuilds],
    }.items():
        for name in variants:
            if name not in names:
                raise UsageError(f"{path}: in {key!r}: {unknown('variant', name, names)}")
    for claim in ledger.claims:
        if claim.missing or claim.kind == "mechanism":
            continue
        try:
            _check_names(claim, component, description)
        except UsageError as error:
            raise _of_claim(path, ledger, claim, error) from None


def _check_values(scenario: Scenario, params: Mapping[str, ParameterValue]) -> None:
    """Also of the right type: no run has the text '1000' for the number 1000."""
    known = check_parameters(scenario, {name: str(value) for name, value in params.items()})
    for name, value in params.items():
        if known[name] != value:
            raise UsageError(f"{name} is {value!r}, and must be {known[name]!r}", "check the quotes")


def _check_names(claim: Claim, component: Component, description: Description) -> None:
    if claim.score:
        table = component.manifest.table
        if table is None:
            raise UsageError(f"{component.name} has no table to score", "see [table] in docs/adding-a-topic.md")
        for name in table.scenarios:
            select_variants(description, select_scenario(description, name), claim.variants)
        return
    scenario = select_scenario(description, claim.scenario)
    select_variants(description, scenario, claim.variants)
    for params in claim.points:
        _check_values(scenario, params)
    for end in claim.ends:
        # An arm is called by its value, and 1 is not 1.0 there.
        known = check_parameters(scenario, {name: str(value) for name, value in end.items()})
        if [type(one) for one in known.values()] != [type(one) for one in end.values()]:
            raise UsageError(f"{claim.parameter} is {end[claim.parameter]!r}, and must be {known[claim.parameter]!r}")
    metric = find_metric(scenario, claim.metric)
    unit = "x" if claim.factor else metric.unit
    if claim.kind == "fidelity" and units_in(claim.published.unit, unit) is None:
        raise UsageError(f"published in {claim.published.unit!r}, measured in {unit!r}", "name another metric")
    causes = [cause.name for cause in component.manifest.causes if cause.mode == claim.mode]
    if claim.kind == "share" and claim.cause not in causes:
        raise unknown(f"cause of mode {claim.mode} in the manifest of {component.name}", claim.cause, causes)
