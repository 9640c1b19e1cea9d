"""Reports written for tests: from results that are the test's own, and what their pages link to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from silent import Silent

from perflab.model.lab import Lab
from perflab.site.site import write_site

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perflab.site.site import SiteResult


def build_site(folder: Path, names: Sequence[str] = (), *, notebooks: bool = False, **places: Path) -> SiteResult:
    """Write a report of a lab without results; `places` are other folders, by their names in `Lab`."""
    lab = replace(Lab.from_environment(), **{"results": folder.parent / "no-results", "inner": ()} | places)
    return write_site(lab, folder, Silent(), names, notebooks=notebooks)


@dataclass
class Page(HTMLParser):
    """What a page refers to, and what can be referred to in it."""

    text: str
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if tag == "a" and "href" in found else []
        self.loads += [found["src"]] if "src" in found else []
        self.loads += [found["href"]] if tag == "link" else []


def pages_of(folder: Path) -> dict[Path, Page]:
    """All pages of a site."""
    return {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}


def dead_links(folder: Path) -> list[str]:
    """Links and files to load that lead nowhere; a choice of the filter is no place on a page."""
    pages = pages_of(folder)
    dead = []
    for path, page in pages.items():
        for href in [*page.links, *page.loads]:
            parts = urlsplit(href)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = target.is_file() and target.is_relative_to(folder.resolve())
            is_choice = "=" in parts.fragment
            if there and parts.fragment and target in pages and not is_choice:
                there = unquote(parts.fragment) in pages[target].ids
            if not there:
                dead.append(f"{path.relative_to(folder.resolve())}: {href}")
    return dead
