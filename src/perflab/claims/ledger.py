"""Ledgers: the claims of reports, one struct a kind, read from `datasets/claims/REPORT.yaml`."""

from __future__ import annotations

import inspect
import math
import os
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec
import yaml
from msgspec import Meta

from perflab.measure.counted import counted_scenario
from perflab.model.errors import UsageError, unknown
from perflab.model.located import located
from perflab.model.names import LONGEST, Id, OptionalId, is_id
from perflab.model.protocol import ParameterValue
from perflab.model.units import units_in
from perflab.profile.callgrind import COUNTS
from perflab.stats.composite import Figure
from perflab.topics.catalogue import check_parameters, find_component, find_metric, select_scenario, select_variants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from perflab.model.lab import Lab
    from perflab.model.located import Step
    from perflab.model.protocol import Description, Scenario
    from perflab.topics.catalogue import Component


OPEN = "?"
"""A value that a draft leaves open."""
_SYSTEM = "linux"  # the only one that the lab runs on
_Line = Annotated[int, Meta(ge=1)]
_Tolerance = Annotated[float, Meta(ge=0, lt=1)]
_Text = Annotated[str, Meta(min_length=1)]
_Kind = Literal["ratio", "order", "bound", "scaling", "share", "score", "mechanism", "absolute", "fidelity"]


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

    def __post_init__(self) -> None:
        low, high = self.range or (0.0, 0.0)
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError("a published figure is a finite number")
        if low > high:
            raise ValueError("the published range ends before it begins")

    @property
    def range(self) -> tuple[float, float] | None:
        """Least and greatest published value; None if the report gives no figure."""
        low = self.low if self.low is not None else self.value
        high = self.high if self.high is not None else self.value
        return None if low is None or high is None else (low, high)

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

    cores: Annotated[int, Meta(ge=0)] = 0
    os: OptionalId = ""
    device: OptionalId = ""

    def beyond(self, cores: float) -> str:
        """Return what a machine with so many usable cores lacks, as in `4 cores`."""
        lacking = [f"{self.cores} cores"] if cores < self.cores else []
        lacking += [self.os] if self.os not in {"", _SYSTEM} else []
        lacking += [f"a {self.device} device"] if self.device else []
        return " and ".join(lacking)


class Claim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag=str.lower):
    """A statement of a report, and how it is tested.

    Attributes:
        id: Its name in the ledger.
        kind: What it claims.
        statement: The statement, in our words.
        where: Where in the report it stands.
        lines: First and last line of the statement in the report's file, from 1 on.
        ours: It is this project's statement, not the report's; `where` is what it adds to.
        headline: It is one of the three to six claims that the report's own summary makes: `./lab reproduce --quick`
            judges these alone, and every reproduction judges them first.
        published: The published figure.
        needs: What a machine must have so that the claim can be tested on it.
        expected: Whether the ledger is sure of it on any machine: that the claim holds, or that the mechanism's test
            passes. A run in which it does not is reported as falling short.
        missing: What testing it would need, if that is not available.
        note: What is true instead.
        candidate: The variant that the claim is about.
        baseline: The variant that the candidate is compared with.
        over: The variants among which it is ranked. Shares of the best are of the best of these and the candidate.
        score: Over all scenarios of the topic's table, in place of one: its composite score (`mean`), its share in its
            `worst` scenario, or the `spread`, the mean less the worst; in per cent of the best.
        tolerance: How far from the published figure still reproduces it. Of a factor, as a share of its logarithm, so
            that 2x allows 1.68x to 2.38x, and no tolerance reaches 1x. Of a share or a score, as a share of the figure.
    """

    id: Id
    statement: str
    where: str = ""
    lines: tuple[_Line, _Line] | None = None
    ours: bool = False
    headline: bool = False
    published: Published = Published()
    needs: Needs = Needs()
    expected: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        if self.lines and self.lines[0] > self.lines[1]:
            raise ValueError("its first line comes after its last one: 'lines' are the first and the last")
        if problem := next(self._problems(), ""):
            raise ValueError(problem)

    def _problems(self) -> Iterator[str]:
        """Yield contradictions between values."""
        yield from ()

    def _no_figure(self) -> Iterator[str]:
        if self.published.range is None:
            yield f"a claim of kind {self.kind} needs a figure in 'published'"

    def _no_direction(self) -> Iterator[str]:
        low, high = self.published.range or (2.0, 2.0)
        if not (low > 1 or 0 < high < 1):
            yield "a published factor is above 1, or between 0 and 1, over all its range: with 1 in it, it is a bound"

    @property
    def kind(self) -> str:
        """The kind, as ledgers call it."""
        return str(self.__struct_config__.tag)

    @property
    def missing(self) -> str:
        """The unavailable thing that a test would need."""
        return ""

    @property
    def variants(self) -> list[str]:
        """The variants that it names."""
        return []

    @property
    def score(self) -> Figure | None:
        """The figure over all scenarios of the topic's table that it is about, in place of one scenario's."""
        return None

    @property
    def bounded(self) -> bool:
        """It is judged by bounds, not by the published figure."""
        return False


class Untestable(Claim, frozen=True, kw_only=True, forbid_unknown_fields=False, tag=False):
    """A claim of any kind that cannot be tested; keys of its kind may say how it would be."""

    kind: _Kind
    missing: _Text


class Mechanism(Claim, frozen=True, kw_only=True):
    """A test of the component shows it.

    Attributes:
        test: A test of the component, as `Class#method`.
        shows: The verdict if the test passes.
    """

    test: Annotated[str, Meta(pattern=r"^\w[\w.$]*#\w+\Z", max_length=LONGEST)]
    shows: Literal["reproduced", "refuted"] = "refuted"


class Score(Claim, frozen=True, kw_only=True):
    """Its score over all scenarios of the topic's table, in per cent of the best, is the published one."""

    candidate: Id
    over: Annotated[list[Id], Meta(min_length=1)]
    score: Figure
    published: Published
    tolerance: _Tolerance = 0.25

    def _problems(self) -> Iterator[str]:
        yield from self._no_figure()

    @property
    def variants(self) -> list[str]:
        """The variants that it names."""
        return [self.candidate, *self.over]


class Measured(Claim, frozen=True, kw_only=True):
    """A claim that rests on one run or profile.

    Attributes:
        scenario: In which it is measured.
        metric: Of the scenario, or a count of what is executed, such as `instructions`; by default its headline.
        params: Parameters of the scenario that differ from their defaults.
        evidence: The run or profile that it rests on, and on no other, so that no reproduction measures it anew; by
            default it is the newest that fits and that a reproduction made.
    """

    candidate: Id
    baseline: OptionalId = ""
    scenario: Id
    metric: Id | None = None
    params: dict[Id, ParameterValue] = {}
    evidence: OptionalId = ""

    @property
    def over(self) -> list[str]:
        """The variants that the candidate is ranked over."""
        return []

    @property
    def variants(self) -> list[str]:
        """The variants that it names."""
        return [name for name in (self.baseline, self.candidate, *self.over) if name]

    @property
    def counted(self) -> bool:
        """Its metric is counted by valgrind, in a run of its own."""
        return self.metric in COUNTS

    @property
    def factor(self) -> bool:
        """Its figure is a factor, and not in the metric's unit."""
        return bool(self.baseline or self.over or self.ends)

    @property
    def ends(self) -> tuple[dict[str, ParameterValue], ...]:
        """The two values of the parameter that changes, if one does."""
        return ()


class Ratio(Measured, frozen=True, kw_only=True):
    """The candidate is so many times better than the baseline."""

    baseline: Id
    published: Published
    tolerance: _Tolerance = 0.25

    def _problems(self) -> Iterator[str]:
        yield from self._no_figure()
        yield from self._no_direction()


class Order(Measured, frozen=True, kw_only=True):
    """The candidate is better than the baseline, or than each that it is ranked `over`."""

    scenario: OptionalId = ""
    over: list[Id] = []
    score: Figure | None = None

    def _problems(self) -> Iterator[str]:
        if not (self.baseline or self.over):
            yield "a claim of kind order needs 'baseline' or 'over'"
        if not (self.scenario or self.score):
            yield "a claim of kind order needs 'scenario' or 'score'"
        if self.score and self.evidence:
            yield "a score rests on several runs: leave 'evidence' out"


class Absolute(Measured, frozen=True, kw_only=True):
    """A figure of another machine: only its order of magnitude is judged."""

    published: Published

    def _problems(self) -> Iterator[str]:
        yield from self._no_figure()


class Fidelity(Measured, frozen=True, kw_only=True):
    """A rebuild has about the figure, or with a `baseline` the factor over it, that was published of the original.

    Attributes:
        within: By what factor the figure may be off, as those of two machines are.
        rebuilds: The variants that it vouches for in every scenario; where none is named it vouches for its candidate
            in its own scenario. If it is refuted, they refute no claim of the report there.
    """

    published: Published
    within: Annotated[float, Meta(gt=1)] = 2.0
    rebuilds: list[Id] = []

    def _problems(self) -> Iterator[str]:
        yield from self._no_figure()
        if not self.ours:
            yield "a claim of kind fidelity is about what this project rebuilt: add 'ours: true'"

    def vouches_for(self, other: Claim) -> str:
        """Return the variant of another claim that this one vouches for where that is tested; empty if none."""
        # A score has the whole table in place of a scenario.
        here = bool(self.rebuilds) or not isinstance(other, Measured) or other.scenario in {"", self.scenario}
        return next((name for name in self.rebuilds or [self.candidate] if here and name in other.variants), "")


class Bounded(Measured, frozen=True, kw_only=True):
    """A claim that may have bounds.

    Attributes:
        at_most: The greatest value that bears it out, in the metric's unit or, of factors, as one.
        at_least: The least one.
    """

    at_most: float | None = None
    at_least: float | None = None

    def _problems(self) -> Iterator[str]:
        least, most = self.at_least, self.at_most
        if not all(end is None or math.isfinite(end) for end in (least, most)):
            yield "a bound is a finite number"
        if least is not None and most is not None and least > most:
            yield "'at_least' is above 'at_most'"
        if not self.bounded and self.published.range is None:
            yield f"a claim of kind {self.kind} needs 'published', or else 'at_most' or 'at_least'"

    @property
    def bounded(self) -> bool:
        """It is judged by bounds, not by the published figure."""
        return self.at_most is not None or self.at_least is not None


class Bound(Bounded, frozen=True, kw_only=True):
    """The metric's figure, or with a `baseline` or `over` the factor over it or each of them, is within bounds."""

    over: list[Id] = []

    def _problems(self) -> Iterator[str]:
        if not self.bounded:
            yield "a claim of kind bound needs 'at_most' or 'at_least', or both"
        if self.over and (self.baseline or self.at_most is not None):
            yield "a bound over several variants has neither 'baseline' nor 'at_most': it has 'at_least'"
        yield from super()._problems()


class Scaling(Bounded, frozen=True, kw_only=True):
    """The figure, or with a `baseline` the factor over it, changes so many times with a parameter.

    Attributes:
        parameter: The parameter that changes.
        start: Its first value.
        stop: Its last value.
    """

    parameter: Id
    start: ParameterValue
    stop: ParameterValue
    tolerance: _Tolerance = 0.25

    def _problems(self) -> Iterator[str]:
        yield from super()._problems()
        if not self.bounded:
            yield from self._no_direction()

    @property
    def ends(self) -> tuple[dict[str, ParameterValue], ...]:
        """The two values of the parameter that changes."""
        return {self.parameter: self.start}, {self.parameter: self.stop}


class Share(Bounded, frozen=True, kw_only=True):
    """A `[[cause]]` of the manifest has this part of a profile, in per cent.

    Attributes:
        mode: Of the profile.
        cause: The name of a `[[cause]]` of the manifest.
    """

    mode: Literal["cpu", "wall", "lock", "alloc"]
    cause: _Text
    tolerance: _Tolerance = 0.25


KINDS: dict[str, type[Claim]] = {
    kind.__name__.lower(): kind for kind in (Ratio, Order, Bound, Scaling, Share, Score, Mechanism, Absolute, Fidelity)
}


class Ledger(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
    source: str = ""
    sha256: Annotated[str, Meta(pattern=r"^([0-9a-f]{64})?\Z")] = ""
    beside: list[Id] = []
    claims: list[Claim]

    @property
    def lead(self) -> list[Claim]:
        """The headline claims; all of them where none is marked as one."""
        return [claim for claim in self.claims if claim.headline] or self.claims


class _Document(Ledger, frozen=True, kw_only=True):
    claims: list[dict[str, Any]]  # type: ignore[assignment] # each to be decoded as its kind


def ledger_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a ledger; each key has its meaning from a struct's docstring."""
    kinds = [*KINDS.values(), Untestable]
    (ledger, *kind_refs), definitions = msgspec.json.schema_components([Ledger, *kinds], ref_template="#/$defs/{name}")
    del definitions["Claim"]
    definitions["Ledger"]["properties"]["claims"]["items"] = {"anyOf": kind_refs}
    meanings: dict[str, str] = {}
    for struct in (Claim, Measured, Bounded, *KINDS.values(), Published, Needs, Ledger):
        attributes = inspect.cleandoc(struct.__doc__ or "").partition("Attributes:\n")[2]
        pairs = re.findall(r"^ {4}(\w+): (.*?)(?=^ {4}\w+: |\Z)", attributes, re.MULTILINE | re.DOTALL)
        meanings |= {name: " ".join(text.split()) for name, text in pairs}
    for definition in definitions.values():
        definition["description"] = definition.get("description", "").partition("\n")[0]
        for name, value in definition["properties"].items():
            value["description"] = meanings[name]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A ledger of perflab"}
    return {**head, **ledger, "$defs": definitions}


def find_ledgers(folder: Path) -> dict[str, Path]:
    """Return the ledgers' files by report."""
    if os.environ.get("PERFLAB_CLAIMS") and not folder.is_dir():
        raise UsageError(f"no folder of ledgers: {folder}", "PERFLAB_CLAIMS names it; unset it for the lab's own")
    # Not an editor's or a file system's own files: .#cajun.yaml, ._cajun.yaml.
    return {path.stem: path for path in sorted(folder.glob("*.yaml")) if is_id(path.stem)}


_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C, ten times as fast
_TEXT = "tag:yaml.org,2002:str"


class _Loader(_LOADER):  # type: ignore[misc, valid-type]
    """Refuses keys that are not text, and duplicates."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        if other := next((key for key, _ in node.value if key.tag != _TEXT), None):
            why = "a key is not text (in braces a comma ends a value: write 1024, not 1,024)"
            raise yaml.constructor.ConstructorError(problem=why, problem_mark=other.start_mark)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        if len(mapping) < len(node.value):
            raise yaml.constructor.ConstructorError(problem="a key appears twice", problem_mark=node.start_mark)
        return mapping


def read_ledger(report: str, folder: Path) -> Ledger:
    """Read and check a report's ledger; errors name file and line."""
    ledgers = find_ledgers(folder)
    if report not in ledgers:
        raise unknown("report", report, ledgers)
    path = ledgers[report]
    try:
        text = path.read_text(encoding="utf-8")
        data = yaml.load(text, _Loader)  # noqa: S506 - a safe one
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(f"{path}:{line}: {error.problem}") from None
    except (OSError, ValueError, ArithmeticError, yaml.YAMLError) as error:
        raise UsageError(f"{path}: {str(error).partition(chr(10))[0]}", "mend its YAML") from None
    if data is None:
        raise UsageError(f"{path} is empty", "docs/claims.md lists the keys")
    document = _convert(data, _Document, path, text)
    if document.report != report:
        raise UsageError(
            f"{path}:1: the report is called {document.report!r}, the file {report!r}", "use the same name"
        )
    claims: list[Claim] = []
    for number, one in enumerate(document.claims):
        kind = one.get("kind")
        if kind not in KINDS:
            line = _line_at(text, ["claims", number, "kind"])
            raise UsageError(f"{path}:{line}: {unknown('kind of claim', str(kind), KINDS)}")
        claims.append(_convert(one, Untestable if one.get("missing") else KINDS[kind], path, text, "claims", number))
        if claims[-1].id in {claim.id for claim in claims[:-1]}:
            raise UsageError(f"{path}:{_line_at(text, ['claims', number])}: claim {claims[-1].id!r} appears twice")
    return Ledger(**(msgspec.structs.asdict(document) | {"claims": claims}))


_Record = TypeVar("_Record", bound=msgspec.Struct)


def _convert(data: object, record: type[_Record], path: Path, text: str, *steps: Step) -> _Record:
    try:
        return msgspec.convert(data, record)
    except msgspec.ValidationError as error:
        hint = "docs/claims.md lists the keys"
        hint = f"fill in each {OPEN}; {hint}" if f'"{OPEN}"' in text else hint
        raise located(path, record, error, lambda more: _line_at(text, [*steps, *more]), hint) from None


def readable_ledgers(folder: Path, note: Callable[[str], None]) -> list[str]:
    """Return the reports whose ledgers can be read, and note why others cannot; an error if none can."""
    readable, wrong = list[str](), list[UsageError]()
    for name in find_ledgers(folder):
        try:
            read_ledger(name, folder)
            readable.append(name)
        except UsageError as error:
            wrong.append(error)
    if wrong and not readable:
        raise wrong[0]
    for problem in wrong:
        note(f"left out: {problem}")
    return readable


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


def topic_of(ledger: Ledger, lab: Lab) -> Component:
    """Return a ledger's topic; the error, if there is none of that name, names file and line."""
    try:
        return find_component(lab, ledger.component)
    except UsageError as error:
        path = find_ledgers(lab.claims)[ledger.report]
        line = _line_at(path.read_text(encoding="utf-8"), ["component"])
        raise UsageError(f"{path}:{line}: {error.message}", error.hint) from None


def check_ledger(ledger: Ledger, component: Component, description: Description) -> None:
    """Check every claim against what the component's bench program describes and its manifest says."""
    path = find_ledgers(component.lab.claims)[ledger.report]
    names = {variant.name for variant in description.variants}
    rebuilds = [name for claim in ledger.claims if isinstance(claim, Fidelity) for name in claim.rebuilds]
    for key, variants in {"beside": ledger.beside, "rebuilds": rebuilds}.items():
        for name in variants:
            if name not in names:
                raise UsageError(f"{path}: in {key!r}: {unknown('variant', name, names)}")
    for number, claim in enumerate(ledger.claims):
        try:
            _check_names(claim, component, description)
        except UsageError as error:
            line = _line_at(path.read_text(encoding="utf-8"), ["claims", number])
            raise UsageError(f"{path}:{line}: claim {claim.id!r}: {error.message}", error.hint) from None


def _check_names(claim: Claim, component: Component, description: Description) -> None:
    if claim.score:
        table = component.manifest.table
        if table is None:
            raise UsageError(f"{component.name} has no table to score", "see [table] in docs/adding-a-topic.md")
        for name in table.scenarios:
            select_variants(description, select_scenario(description, name), claim.variants)
        return
    if not isinstance(claim, Measured):
        return
    scenario = select_scenario(description, claim.scenario)
    select_variants(description, scenario, claim.variants)
    for end in claim.ends or ({},):
        _check_values(scenario, claim.params | end, exact=set(end))
    metric = find_metric(counted_scenario(scenario) if claim.counted else scenario, claim.metric)
    unit = "x" if claim.factor else metric.unit
    if isinstance(claim, Fidelity) and units_in(claim.published.unit, unit) is None:
        raise UsageError(f"published in {claim.published.unit!r}, measured in {unit!r}", "name another metric")
    if isinstance(claim, Share):
        causes = [cause.name for cause in component.manifest.causes if cause.mode == claim.mode]
        if claim.cause not in causes:
            raise unknown(f"cause of mode {claim.mode} in the manifest of {component.name}", claim.cause, causes)


def _check_values(scenario: Scenario, params: Mapping[str, ParameterValue], *, exact: set[str]) -> None:
    """Check values and their types: a run has 1000, not the text '1000', and an arm is called 1, not 1.0."""
    known = check_parameters(scenario, {name: str(value) for name, value in params.items()})
    for name, value in params.items():
        if known[name] != value or (name in exact and type(known[name]) is not type(value)):
            raise UsageError(f"{name} is {value!r}, and must be {known[name]!r}", "check the quotes")
