"""Find components: folders with a manifest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from perflab.host.toolchains import parse_requirement
from perflab.model.errors import UsageError, unknown
from perflab.model.names import is_unicode
from perflab.topics.manifest import FILE_NAME, Bench, Build, Manifest, read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from perflab.model.lab import Lab
    from perflab.model.project import SavedBench
    from perflab.model.protocol import Description, Metric, Parameter, ParameterValue, Scenario, Variant


_Item = TypeVar("_Item", "Metric", "Parameter", "Scenario", "Variant")


@dataclass(frozen=True)
class Component:
    """A system under test: its folder, its manifest, and the lab that measures it.

    Without a bench program it has a `bench`, which a harness runs.
    """

    folder: Path
    manifest: Manifest
    lab: Lab
    bench: SavedBench | None = None

    @property
    def name(self) -> str:
        """The topic's name on the command line."""
        return self.manifest.name

    @property
    def notebooks(self) -> list[str]:
        """Paths from the root of the topic's notebook and its continuation `N-TOPIC-more.ipynb`, if any."""
        main = self.manifest.notebook
        return [
            path for path in (main, main.replace(".ipynb", "-more.ipynb")) if path and (self.lab.root / path).is_file()
        ]


def bench_component(lab: Lab, name: str, bench: SavedBench) -> Component:
    """Return a component for a bench: in the bench's folder, with nothing to build."""
    what = f"benchmarks with {bench.harness}" if bench.harness else "commands"
    manifest = Manifest(name, f"{len(bench.compare)} {what}", "", Build([]), Bench([]))
    return Component(lab.root / (bench.folder or ""), manifest, lab, bench)


def find_components(lab: Lab) -> list[Component]:
    """Find all components of a lab, sorted by name, then its saved benches."""
    manifests = sorted(lab.components.glob(f"*/{FILE_NAME}"))
    found = [Component(path.parent, read_manifest(path), lab) for path in manifests]
    taken = {one.name for one in found}
    return found + [bench_component(lab, name, one) for name, one in sorted(lab.benches.items()) if name not in taken]


def find_component(lab: Lab, name: str) -> Component:
    """Find the component of this name."""
    components = {component.name: component for component in find_components(lab)}
    if name not in components:
        error = unknown("topic", name, components)
        raise UsageError(
            error.message,
            f"{error.hint}; PERFLAB_COMPONENTS names a folder of topics of your own, and bench --save NAME keeps one",
        )
    found = components[name]
    for requirement in found.manifest.requires:
        try:
            parse_requirement(requirement)
        except UsageError as error:
            raise UsageError(f"{found.folder / FILE_NAME}, requires: {error.message}", error.hint) from None
    return found


def _named(kind: str, name: str, items: Sequence[_Item]) -> _Item:
    found = {item.name: item for item in items}
    if name not in found:
        raise unknown(kind, name, found)
    return found[name]


_TRUE = {"true", "yes", "on", "1"}
_FALSE = {"false", "no", "off", "0"}


def select_scenario(description: Description, name: str | None) -> Scenario:
    """Return the scenario of this name, by default the first one."""
    if name is None and description.scenarios:
        return description.scenarios[0]
    if name is None:
        raise UsageError(
            f"{description.component} has no scenario", "`bench describe` lists them; see docs/protocol.md"
        )
    return _named(f"scenario of {description.component}", name, description.scenarios)


def find_metric(scenario: Scenario, name: str | None) -> Metric:
    """Return the scenario's metric of this name, by default its headline."""
    metrics = scenario.all_metrics
    if name is not None and name not in metrics:
        raise unknown(f"metric of {scenario.name}", name, metrics)
    return metrics[name] if name is not None else scenario.headline


def select_variants(description: Description, scenario: Scenario, names: Iterable[str]) -> list[Variant]:
    """Return the variants of these names, by default all that support the scenario."""
    able = [variant for variant in description.variants if scenario.name in variant.scenarios]
    chosen: list[Variant] = []
    for name in dict.fromkeys(names):
        variant = _named(f"variant of {description.component}", name, description.variants)
        if variant not in able:
            supported = ", ".join(one.name for one in able)
            raise UsageError(f"variant {name!r} does not support {scenario.name!r}", f"these do: {supported}")
        chosen.append(variant)
    return chosen or able


def check_parameters(scenario: Scenario, given: Mapping[str, str]) -> dict[str, ParameterValue]:
    """Parse `k=v` texts as values of the scenario's parameters."""
    kind = f"parameter of {scenario.name}"
    return {name: _value(_named(kind, name, scenario.parameters), text) for name, text in given.items()}


def _value(parameter: Parameter, text: str) -> ParameterValue:
    kinds = {"int": "an integer", "float": "a number", "bool": "yes or no"}
    expected = kinds.get(parameter.type, f"a {parameter.type}")
    wanted = UsageError(f"parameter {parameter.name}: expected {expected}, got {text!r}", parameter.help)
    if not is_unicode(text):
        raise wanted
    if parameter.type == "bool":
        if text.lower() not in _TRUE | _FALSE:
            raise wanted
        return text.lower() in _TRUE
    if parameter.choices is not None and text not in parameter.choices:
        raise unknown(f"choice for {parameter.name}", text, parameter.choices)
    if parameter.type == "string":
        return text
    try:
        number: int | float = int(text) if parameter.type == "int" else float(text)
    except ValueError:
        raise wanted from None
    low, high = parameter.min, parameter.max
    if (low is not None and number < low) or (high is not None and number > high):
        raise UsageError(f"parameter {parameter.name}={text} is out of range", f"allowed: {parameter.allowed}")
    return number
