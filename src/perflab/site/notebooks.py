"""The executed notebooks as pages."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import nbformat

from perflab.charts import PLOTLY
from perflab.components import find_components
from perflab.paths import NOTEBOOKS_DIR, RESULTS_DIR, ROOT
from perflab.site import layout
from perflab.site.figures import figure
from perflab.site.highlighting import highlighted

if TYPE_CHECKING:
    from pathlib import Path

    from nbformat import NotebookNode

    from perflab.runner import Progress
    from perflab.site.markdown import Markdown
    from perflab.site.writing import SiteWriter

_SCROLLED = '<div class="scroll" tabindex="0" role="group" aria-label="Output">'
_LANGUAGES = {"c#": "csharp"}


@dataclass(frozen=True)
class Notebook:
    """A notebook: where it stands in the checkout, the file that was executed last, and how it is opened."""

    source: str
    path: Path
    title: str
    executed: bool
    launch: str

    @property
    def page(self) -> str:
        """Its page."""
        return layout.rendered(self.source)


def find_notebooks(markdown: Markdown) -> list[Notebook]:
    """All notebooks: as this machine's newest reproduction executed them, else as they are committed."""
    topics = {one.manifest.notebook: one.name for one in find_components()}
    found = []
    for committed in sorted(NOTEBOOKS_DIR.glob("*.ipynb")):
        newest = sorted(RESULTS_DIR.glob(f"reproductions/*/{committed.name}"))
        path = newest[-1] if newest else committed
        document = _read(path)
        first = next((cell.source for cell in document.cells if cell.cell_type == "markdown"), "")
        source = f"{NOTEBOOKS_DIR.relative_to(ROOT).as_posix()}/{committed.name}"
        executed = any(cell.get("outputs") for cell in document.cells)
        launch = f"./lab open {topics.get(source, '')}".rstrip()
        found.append(Notebook(source, path, markdown.title(first) or committed.stem, executed, launch))
    return found


def write_notebooks(writer: SiteWriter, notebooks: list[Notebook], markdown: Markdown, progress: Progress) -> None:
    """Write a page for each, and the notebook itself beside it."""
    for number, notebook in enumerate(notebooks):
        progress.update(number / len(notebooks), f"notebook {notebook.path.name}")
        body = notebook_html(_read(notebook.path), notebook.source, markdown)
        writer.page(notebook.page, "notebook.html", notebook=notebook, body=body)
        writer.copy(notebook.path, notebook.source)
    writer.page(layout.NOTEBOOKS, "notebooks.html", notebooks=notebooks)


def notebook_html(document: NotebookNode, source: str, markdown: Markdown) -> str:
    """A notebook's cells and outputs, with its charts to be drawn by the page's script."""
    from nbconvert import HTMLExporter  # noqa: PLC0415 - a second

    page = layout.rendered(source)
    language = str(document.metadata.get("language_info", {}).get("pygments_lexer", "python")).lower()
    # No stubs, and half of it untyped.
    make: Any = HTMLExporter
    exporter = make(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True)
    exporter.register_filter("markdown2html", lambda text: markdown.html(text, source, page))
    exporter.register_filter("highlight_code", lambda code, **_: highlighted(code, _LANGUAGES.get(language, language)))
    for cell in document.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if PLOTLY in data:
                output.data = _drawn(data)
            elif "text/html" in data:
                data["text/html"] = f"{_SCROLLED}{data['text/html']}</div>"
    html, _ = exporter.from_notebook_node(document)
    # What scrolls must be within reach of the keyboard.
    return str(html).replace("<pre>", '<pre tabindex="0">')


def _drawn(data: dict[str, Any]) -> NotebookNode:
    """A chart's bundle with one form only, the one that pages draw: the image in it is for pages without a script."""
    table = f"<pre>{escape(data.get('text/plain', ''))}</pre>"
    title = data[PLOTLY].get("layout", {}).get("title", {})
    text = title.get("text", "") if isinstance(title, dict) else str(title)
    return nbformat.from_dict({"text/html": str(figure(data[PLOTLY], text, table))})  # type: ignore[no-untyped-call,no-any-return]


def _read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call,no-any-return]
