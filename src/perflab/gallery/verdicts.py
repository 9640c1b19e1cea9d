"""Verdicts as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.charts import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.claims import Verdict


def verdict_bundle(title: str, verdicts: Sequence[Verdict]) -> dict[str, str]:
    """A MIME bundle with the verdicts as a table, in plain text and HTML."""
    rows = [
        [
            one.claim.id,
            one.claim.statement,
            one.word + (" (reference run)" if one.origin == "reference" else ""),
            one.reason,
        ]
        for one in verdicts
    ]
    table = Table(["claim", "what the report says", "verdict", "why"], rows)
    return {"text/plain": table.text(title), "text/html": table.html(title)}
