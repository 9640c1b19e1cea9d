"""The documents of the checkout, rendered as pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.paths import ROOT
from perflab.site import layout

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.site.markdown import Markdown
    from perflab.site.writing import SiteWriter

# How things are done first, then what about, then what it is done with.
_PLACES = ("docs/*.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "datasets/README.md", "components/*/README.md")


@dataclass(frozen=True)
class Document:
    """A document: where it stands in the checkout, and where in the site."""

    source: str
    page: str
    title: str


def find_documents(markdown: Markdown) -> list[Document]:
    """All documents that a reader of the report may want."""
    found = []
    for pattern in _PLACES:
        for path in sorted(ROOT.glob(pattern)):
            source = path.relative_to(ROOT).as_posix()
            title = markdown.title(path.read_text(encoding="utf-8")) or source
            found.append(Document(source, layout.rendered(source), title))
    return found


def find_images() -> dict[str, Path]:
    """The images that documents show, by their place in the checkout."""
    return {path.relative_to(ROOT).as_posix(): path for path in sorted((ROOT / "docs").rglob("*.png"))}


def write_documents(writer: SiteWriter, documents: list[Document], markdown: Markdown) -> None:
    """Write a page for each, and their images."""
    for place, path in find_images().items():
        writer.copy(path, place)
    for document in documents:
        text = (ROOT / document.source).read_text(encoding="utf-8")
        html = markdown.html(text, document.source, document.page)
        writer.page(document.page, "document.html", document=document, body=html)
    writer.page(layout.DOCUMENTS, "documents.html", documents=documents)
