"""Write the site's files, with the templates of its pages."""

from __future__ import annotations

import contextlib
import csv
import functools
import json
import shutil
import tempfile
from importlib.resources import as_file, files
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from perflab import __version__
from perflab.charts.chart import plotly_script, script_json
from perflab.model.errors import MissingError, UsageError
from perflab.model.format import quantity
from perflab.model.redact import Redactor
from perflab.store.bundles import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perflab.stats.columns import Columns

from perflab.site import layout
from perflab.site.layout import KIND_WORDS, ORIGIN_WORDS, PROFILE_WORDS, VERDICT_WORDS, relative

MARKER = "perflab-report.json"
"""Marks a folder as a report, which a newer one may replace."""


_TEXTS = {".collapsed", ".csv", ".ipynb", ".json", ".jsonl", ".yaml"}


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("perflab.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "layout": layout,
        "verdict_words": VERDICT_WORDS,
        "kind_words": KIND_WORDS,
        "origin_words": ORIGIN_WORDS,
        "profile_words": PROFILE_WORDS,
        "version": __version__,
    }
    environment.filters["quantity"] = quantity
    environment.filters["script_json"] = script_json
    return environment


def template(name: str) -> Template:
    """Return a template of the site."""
    return _environment().get_template(name)


class SiteWriter:
    """Writes pages and files below a folder, with private data redacted (`redact`)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.redact = Redactor()
        self.pages: list[str] = []
        self._shared: dict[str, object] = {}
        self.text(MARKER, json.dumps({"perflab": __version__}))

    def share(self, **values: object) -> None:
        """Add variables for all templates."""
        self._shared |= values

    def page(self, path: str, name: str, **values: Any) -> None:  # noqa: ANN401 - whatever a template shows
        """Write a page; in its template, `link(TARGET)` is a link to another page or file of the site."""
        link = functools.partial(relative, page=path)
        self.text(path, template(name).render(link=link, page_path=path, **self._shared, **values))
        self.pages.append(path)

    def text(self, path: str, text: str) -> None:
        """Write a file."""
        self._target(path).write_text(self.redact(text), encoding="utf-8", errors="backslashreplace")

    def table(self, path: str, rows: Columns) -> None:
        """Write a table as CSV; of a missing number the cell is empty."""
        shown = redacted(rows, self.redact)
        with self._target(path).open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(shown)
            table.writerows(("" if cell != cell else cell for cell in row) for row in shown.cells(*shown))  # noqa: PLR0124 - NaN

    def copy(self, source: Path, path: str) -> bool:
        """Copy a file; text files, by suffix, are redacted.

        Returns:
            True if it could be read.
        """
        try:
            data = source.read_bytes()
        except OSError:
            return False
        if source.suffix in _TEXTS:
            self.text(path, data.decode("utf-8", "backslashreplace"))
        else:
            self._target(path).write_bytes(data)
        return True

    def assets(self) -> None:
        """Copy the style sheet and scripts, including plotly's."""
        with as_file(files("perflab.site") / "assets") as folder:
            for source in folder.iterdir():
                shutil.copyfile(source, self._target(f"assets/{source.name}"))
        # Not redacted: megabytes of a library.
        self._target("assets/plotly.js").write_text(plotly_script(), encoding="utf-8")

    def _target(self, path: str) -> Path:
        place = PurePosixPath(path)
        if place.is_absolute() or ".." in place.parts:
            raise UsageError(
                f"{path!r} is no place in a report", "a run, profile or claim of that name is none of ours"
            )
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target


@contextlib.contextmanager
def replacing_report(folder: Path) -> Iterator[Path]:
    """Yield a draft folder that replaces the older report if the block succeeds."""
    folder = folder.absolute()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file", "name a folder with --out")
    if folder.exists() and any(folder.iterdir()) and not (folder / MARKER).is_file():
        raise UsageError(f"{folder} holds something else than a report", "name another folder with --out")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=f".{folder.name}-", dir=folder.parent, ignore_cleanup_errors=True
        ) as draft:
            yield Path(draft)
            # Replace the contents, not the folder, which may be a mount point.
            folder.mkdir(exist_ok=True)
            for one in folder.iterdir():
                shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
            for one in Path(draft).iterdir():
                shutil.move(one, folder / one.name)
    except OSError as error:
        raise MissingError(f"cannot write {folder}: {error.strerror}", "name another folder with --out") from None
