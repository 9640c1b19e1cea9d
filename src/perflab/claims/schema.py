"""What a ledger may hold, as a JSON Schema and as the document docs/claims.md, both made from what reads it.

python -m perflab.claims.schema > docs/claims.md
"""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import msgspec

from perflab.claims.ledger import KINDS, NEEDED, Claim, Ledger, Needs, Published

_RECORDS: tuple[type[msgspec.Struct], ...] = (Ledger, Claim, Published, Needs)

_RESTS_ON = {
    "ratio": "the candidate is so many times better, within `tolerance`: a share of the factor's logarithm",
    "order": "the candidate is better than the baseline, or than each that it is ranked `over`",
    "score": "its score over all scenarios of the topic's table, in per cent of the best: `mean`, `worst` or `spread`",
    "bound": "the metric's figure, in the metric's unit; with a `baseline` or `over` the factor over it or each",
    "scaling": "how the figure changes with a parameter; with a `baseline` how the factor over it does",
    "share": "a `[[cause]]` of the manifest, in a profile",
    "mechanism": "a test of the component, as `Class#method`",
    "absolute": "nothing but its order of magnitude: another machine's figure, shown for scale",
    "fidelity": "a rebuild's figure, or with a `baseline` its factor over it, against upstream's own",
}
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
`order` may have `over` in place of one baseline, or a `score` in place of a scenario. A published factor lies on one
side of 1 with all its range; that something does not matter is a `bound` with both ends. A figure counts as one of what
the metric is per: where a report means a batch and the metric a task, name another metric."""


def ledger_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a ledger, with what each key means."""
    schema = msgspec.json.schema(Ledger)
    for record in _RECORDS:
        about = _about(record)
        for name, value in schema["$defs"][record.__name__]["properties"].items():
            if name in about:
                value["description"] = about[name]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A ledger of perflab", **schema}


def _about(record: type[msgspec.Struct]) -> dict[str, str]:
    """What its docstring says of each attribute."""
    text = inspect.cleandoc(record.__doc__ or "").partition("Attributes:\n")[2]
    found = re.findall(r"^ {4}(\w+): (.*?)(?=^ {4}\w+: |\Z)", text, re.MULTILINE | re.DOTALL)
    return {name: " ".join(about.split()) for name, about in found}


def document() -> str:
    """The text of docs/claims.md."""
    lines = [_HEAD, "| kind | needs | the verdict rests on |", "|---|---|---|"]
    lines += [f"| `{kind}` | {', '.join(f'`{one}`' for one in NEEDED[kind])} | {_RESTS_ON[kind]} |" for kind in KINDS]
    lines += [_BELOW]
    titles: dict[type[msgspec.Struct], str] = {
        Ledger: "Keys of a ledger",
        Claim: "Keys of a claim",
        Published: "`published`",
        Needs: "`needs`",
    }
    definitions = msgspec.json.schema(Ledger)["$defs"]
    for record, title in titles.items():
        about, fields = _about(record), definitions[record.__name__]
        lines += ["", f"## {title}", "", "| key | value | |", "|---|---|---|"]
        for name, value in fields["properties"].items():
            shown = _type(value) + (", needed" if name in fields.get("required", ()) else "")
            lines.append(f"| `{name}` | {shown} | {about.get(name, '')} |")
    return "\n".join(lines) + "\n"


def _type(value: dict[str, Any]) -> str:
    """What a value may be, in words."""
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
