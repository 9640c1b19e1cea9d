"""The manifest's reference in docs/adding-a-topic.md has each key that the lab reads, and no other."""

from __future__ import annotations

import re
import types
import typing

import msgspec

from perflab.model.lab import CHECKOUT
from perflab.topics import manifest


def keys(kind: type[msgspec.Struct], prefix: str = "") -> set[str]:
    found = set()
    for name, hint in typing.get_type_hints(kind, vars(manifest)).items():
        inner = [part for part in _parts(hint) if isinstance(part, type) and issubclass(part, msgspec.Struct)]
        found |= keys(inner[0], f"{name}.") if inner else {prefix + name}
    return found


def _parts(hint: object) -> tuple[object, ...]:
    """A hint's own type, or those inside `list[T]` and `T | None`."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is list:
        return typing.get_args(hint)
    return (hint,)


def test_each_key_of_the_manifest_is_explained_and_nothing_else() -> None:
    text = (CHECKOUT / "docs" / "adding-a-topic.md").read_text(encoding="utf-8")
    table = text[text.index("| key | meaning |") : text.index("## Done when")]
    assert set(re.findall(r"^\| `([\w.]+)` \|", table, re.MULTILINE)) == keys(manifest.Manifest)
