"""What a ledger may hold, as a JSON Schema and as the document docs/claims.md, both made from its structs.

python -m perflab.claims.schema > docs/claims.md
"""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import msgspec

from perflab.claims.ledger import KINDS, Bounded, Claim, Ledger, Measured, Needs, Published, Untestable

_HEAD = """# Claims

<!-- Made by `python -m perflab.claims.schema > docs/claims.md`: change src/perflab/claims/ledger.py or schema.py. -->

A ledger is a YAML file with the claims of a report: what it says, and how each claim is tested. `./lab claims REPORT`
judges it, `./lab reproduce TOPIC` measures what its claims rest on. It is read strictly: a key that is none, a name
that the topic does not have, and a value of the wrong type are errors with file and line, before anything is measured.

```sh
./lab claims new README.md     # drafts a ledger from the tables and sentences with figures of a Markdown or HTML file
./lab claims --schema > ledger.schema.json
```

A draft has each statement with its lines, its figure and its unit; what a machine cannot know is `?`: which variant is
meant, in which scenario, and whether the statement is a claim at all. With
`# yaml-language-server: $schema=ledger.schema.json` as a ledger's first line, editors complete and check its keys.

```yaml
report: readme
title: README of the cache
component: cache                # a topic, or a bench of perflab.toml
claims:
  - id: three-times
    kind: ratio
    statement: The clock is three times as fast as the list.
    lines: [12, 12]
    published: {value: 3, unit: x}
    baseline: ListCache
    candidate: ClockCache
    scenario: time              # that of a bench; of one with a pattern it is figure
  - id: allocates-nothing
    kind: bound
    statement: The clock allocates nothing.
    candidate: ClockCache
    scenario: time
    metric: allocations         # of Google Benchmark, a counter of the benchmark itself
    at_most: 0                  # none in a hundred operations; of bytes, a hundredth of the smallest object
```

## Kinds
"""

_BELOW = """
`scaling`, `share` and `bound` take `at_most`, `at_least` or both; the first two a `published` figure instead. An
`order` has a `baseline` or is `over` several, and is in a `scenario` or about a `score`. A `fidelity` is `ours`. A
claim of any kind that is `missing` something needs nothing more. A published factor lies on one
side of 1 with all its range; that something does not matter is a `bound` with both ends. A figure counts as one of what
the metric is per: where a report means a batch and the metric a task, name another metric."""


def _keys() -> dict[str, str]:
    """Return the meaning of each key, of which there is one whatever the kind, from the structs' docstrings."""
    about: dict[str, str] = {}
    for struct in (Claim, Measured, Bounded, *KINDS.values(), Published, Needs, Ledger):
        attributes = inspect.cleandoc(struct.__doc__ or "").partition("Attributes:\n")[2]
        pairs = re.findall(r"^ {4}(\w+): (.*?)(?=^ {4}\w+: |\Z)", attributes, re.MULTILINE | re.DOTALL)
        about |= {name: " ".join(text.split()) for name, text in pairs}
    return about


def _summary(struct: type[msgspec.Struct]) -> str:
    return inspect.cleandoc(struct.__doc__ or "").partition("\n")[0]


def ledger_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a ledger, with the meaning of each key."""
    kinds = [*KINDS.values(), Untestable]
    (ledger, *kind_refs), definitions = msgspec.json.schema_components([Ledger, *kinds], ref_template="#/$defs/{name}")
    del definitions["Claim"]
    definitions["Ledger"]["properties"]["claims"]["items"] = {"anyOf": kind_refs}
    about = _keys()
    for definition in definitions.values():
        definition["description"] = definition.get("description", "").partition("\n")[0]
        for name, value in definition["properties"].items():
            value["description"] = about[name]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A ledger of perflab"}
    return {**head, **ledger, "$defs": definitions}


def document() -> str:
    """Return the text of docs/claims.md."""
    definitions = ledger_schema()["$defs"]
    common = msgspec.json.schema_components([Claim])[1]["Claim"]["properties"]
    lines = [_HEAD, "| kind | needs | may have | it says |", "|---|---|---|---|"]
    keys: dict[str, Any] = {}
    for kind, struct in KINDS.items():
        definition = definitions[struct.__name__]
        own = {name: value for name, value in definition["properties"].items() if name != "kind"}
        needed = [f"`{name}`" for name in own if name in definition["required"] and name not in {"id", "statement"}]
        extra = [f"`{name}`" for name in own if f"`{name}`" not in needed and name not in common]
        lines.append(f"| `{kind}` | {', '.join(needed)} | {', '.join(extra)} | {_summary(struct)} |")
        keys = {**own, **keys}
    definitions["Ledger"]["properties"]["claims"]["items"] = {"$ref": "#/$defs/Claim"}
    lines += [_BELOW, *_table("Keys of a ledger", definitions["Ledger"])]
    of_a_claim = {"kind": definitions["Untestable"]["properties"]["kind"], **keys}
    of_a_claim["missing"] = definitions["Untestable"]["properties"]["missing"]
    lines += _table("Keys of a claim", {"properties": of_a_claim, "required": ["id", "kind", "statement"]})
    lines += [*_table("`published`", definitions["Published"]), *_table("`needs`", definitions["Needs"])]
    return "\n".join(lines) + "\n"


def _table(title: str, definition: dict[str, Any]) -> list[str]:
    lines = ["", f"## {title}", "", "| key | value | |", "|---|---|---|"]
    for name, value in definition["properties"].items():
        needed = ", needed" if name in definition.get("required", ()) else ""
        lines.append(f"| `{name}` | {_type(value)}{needed} | {value['description']} |")
    return lines


def _type(value: dict[str, Any]) -> str:
    """Say what a value may be."""
    if "$ref" in value:
        return f"a table: {value['$ref'].rpartition('/')[2].lower()}"
    if "enum" in value:
        return " or ".join(f"`{one}`" for one in value["enum"] if one is not None)
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(_type(one) for one in value["anyOf"] if one.get("type") != "null"))
    kind = value.get("type", "")
    if kind == "array":
        inner = value.get("items") or value["prefixItems"][0]
        return f"a list: {_type(inner)}" if "prefixItems" not in value else f"two of: {_type(inner)}"
    return {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "`true` or `false`",
        "object": "a table",
    }[kind]


if __name__ == "__main__":
    sys.stdout.write(document())
