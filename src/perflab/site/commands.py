"""The command lines that repeat what a verdict rests on."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perflab.claims import Claim
    from perflab.protocol import ParameterValue
    from perflab.store import RunHeader

_LAB = "./lab"
_USUAL_PRESET = "normal"


def repeat_claim(claim: Claim, topic: str, preset: str = "quick") -> list[str]:
    """What to type to see for oneself: one line, or one for each end of a scale.

    Args:
        claim: The claim.
        topic: The topic that tests it.
        preset: How long to measure: as long as was measured for the verdict.
    """
    if claim.missing:
        return []
    everything = _line("reproduce", topic, *_preset(preset), *(["--all"] if preset == "quick" else []))
    if claim.kind == "mechanism":
        # A component's tests have no command of their own: which tool runs them is the manifest's business.
        return [everything]
    if claim.score:
        return [everything, _line("table", topic)]
    if claim.kind == "share":
        options = ["--scenario", claim.scenario, "--variant", claim.candidate, "--mode", claim.mode or ""]
        return [_line("profile", topic, *options, *_params(claim.params))]
    if claim.kind == "scaling":
        ends = [claim.params | {claim.parameter: end} for end in (claim.start, claim.stop) if end is not None]
    else:
        ends = [claim.params]
    variants = [name for name in (claim.baseline, claim.candidate, *claim.over) if name]
    base = claim.candidate if claim.over else claim.baseline
    baseline = ["--baseline", base] if base else []
    metric = ["--metric", claim.metric] if claim.metric else []
    return [
        _line("measure", topic, "--scenario", claim.scenario, *_variants(variants), *baseline, *metric, *_params(end))
        + "".join(f" {option}" for option in _preset(preset))
        for end in ends
    ]


def repeat_run(header: RunHeader) -> str:
    """What to type to measure the same again."""
    if header.kind == "noise":
        return _line("noise", header.component, "--scenario", header.scenario.name, *_params(header.params))
    variants = _variants(arm.variant for arm in header.arms)
    options = [*variants, "--baseline", header.baseline, *_params(header.params), *_preset(header.preset)]
    return _line("measure", header.component, "--scenario", header.scenario.name, *options)


def _line(*words: str) -> str:
    return f"{_LAB} {shlex.join(words)}"


def _variants(names: Iterable[str]) -> list[str]:
    return [word for name in names for word in ("--variant", name)]


def _params(params: Mapping[str, ParameterValue]) -> list[str]:
    return [word for name, value in params.items() for word in ("--param", f"{name}={_text(value)}")]


def _text(value: ParameterValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _preset(name: str) -> list[str]:
    return [] if name == _USUAL_PRESET else [f"--{name}"] if name in {"quick", "rigorous"} else ["--preset", name]
