"""DuckDB over a run's raw lines and over its Parquet files, as one shape."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from pathlib import Path

_INTEGERS = {"round", "position", "i"}
_FIGURES = {"ops", "ns"}
_EMPTY = "SELECT 0::INTEGER AS round, ''::VARCHAR AS variant WHERE false"


def read_lines(path: Path) -> tuple[duckdb.DuckDBPyRelation, bool]:
    """Read raw lines.

    Returns:
        The rows, and whether the last line was cut short: the one in flight when its writer died, which is left out.
    """
    raw = path.read_bytes()
    cut_short = not raw.endswith(b"\n") and bool(raw)
    if b"\n" not in raw:
        return database().sql(_EMPTY), cut_short
    rows = database().sql(
        "SELECT * FROM read_json(?, format = 'newline_delimited', sample_size = -1, ignore_errors = ?)",
        params=[str(path), cut_short],
    )
    typed = ", ".join(_typed(name, kind) for name, kind in zip(rows.columns, rows.types, strict=True))
    return rows.filter('"variant" IS NOT NULL').project(typed), cut_short


def read_parquet(path: Path) -> duckdb.DuckDBPyRelation:
    """Read a sealed table.

    Raises:
        duckdb.Error: If the file is cut short.
    """
    return database().sql("SELECT * FROM read_parquet(?)", params=[str(path)])


@cache
def database() -> duckdb.DuckDBPyConnection:
    """The process's DuckDB, in memory; its files are the runs'."""
    return duckdb.connect()


def _typed(name: str, kind: object) -> str:
    quoted = '"' + name.replace('"', '""') + '"'
    if name in _INTEGERS:
        return f"{quoted}::INTEGER AS {quoted}"
    if name in _FIGURES or ":" in name or str(kind) in {"BIGINT", "UBIGINT", "HUGEINT"}:
        return f"{quoted}::DOUBLE AS {quoted}"
    if str(kind) == "JSON":
        return f"{quoted}::VARCHAR AS {quoted}"
    return quoted
