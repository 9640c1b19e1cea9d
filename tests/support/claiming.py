"""Claims and ledgers made in a test, with values for the keys that it does not look at."""

from __future__ import annotations

from typing import Any

import msgspec

from perflab.claims.ledger import KINDS, Claim, Ledger, Published

_VALUES: dict[str, Any] = {
    "statement": "s",
    "candidate": "b",
    "baseline": "a",
    "scenario": "sum",
    "published": Published(value=2, unit="x"),
    "over": ["a"],
    "score": "mean",
    "parameter": "size",
    "start": 1,
    "stop": 2,
    "mode": "cpu",
    "cause": "c",
    "test": "T#m",
}


def make_claim(kind: str, name: str = "c", **values: Any) -> Any:  # noqa: ANN401 - of the kind
    """Make a claim of a kind."""
    defaults = {
        "order": {} if values.get("over") else {"baseline": "a"},
        "fidelity": {"ours": True},
        "bound": {} if "at_least" in values else {"at_most": 1.0},
        "share": {} if {"at_least", "published"} & set(values) else {"at_most": 1.0},
        "scaling": {} if {"at_least", "at_most"} & set(values) else {"published": Published(value=2, unit="x")},
    }
    scenario = {"scenario": "sum"} if kind == "order" and not values.get("score") else {}
    values = {**defaults.get(kind, {}), **scenario, **values}
    needed = {field.name for field in msgspec.structs.fields(KINDS[kind]) if field.required}
    return KINDS[kind](id=name, **{key: value for key, value in _VALUES.items() if key in needed} | values)


def make_ledger(*claims: Claim, component: str = "toy") -> Ledger:
    """Make the ledger of these claims."""
    return Ledger(report="toys", title="Toys", component=component, claims=list(claims))
