"""The pages of the site: claims, reports, runs, machines, notebooks and documents."""

from __future__ import annotations

import json
import re
import secrets
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import msgspec
from markupsafe import Markup

from perflab.charts.chart import PLOTLY
from perflab.claims.ledger import Measured, Scaling
from perflab.host.machine import this_machine
from perflab.measure.analysis import band_of
from perflab.model.errors import UsageError, one_line
from perflab.model.files import read_foreign
from perflab.model.format import shell_line
from perflab.site import layout
from perflab.site.downloads import from_root, repeat_claim, repeat_run, write_run
from perflab.site.markdown import highlighted
from perflab.site.sanitizer import sanitized
from perflab.site.writer import template
from perflab.store.records import find_reproductions
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from nbformat import NotebookNode

    from perflab.charts.chart import Chart
    from perflab.claims.ledger import Claim
    from perflab.model.lab import Lab
    from perflab.model.progress import Progress
    from perflab.site.downloads import Download, EvidenceFiles
    from perflab.site.markdown import Markdown
    from perflab.site.site import JudgedReport
    from perflab.site.writer import SiteWriter
    from perflab.stats.noise import NoiseBand
    from perflab.store.runs import Run


_USUAL_HEIGHT_PX = 420


def figure(figure_json: Mapping[str, Any], title: str, table: str) -> Markup:
    """Return HTML for a figure in plotly's JSON, drawn when scrolled into view, with its data as a table."""
    height = _layout(figure_json).get("height")
    if not isinstance(height, int | float) or not height:
        height = _USUAL_HEIGHT_PX
    html = template("figure.html").render(figure=figure_json, title=title, height=height, table=table)
    return Markup(html)  # noqa: S704 - a template that escapes


def _layout(figure_json: Mapping[str, Any]) -> dict[str, Any]:
    layout = figure_json.get("layout")
    return layout if isinstance(layout, dict) else {}


def _figures(charts: Iterable[Chart]) -> list[Markup]:
    return [figure(chart.figure_json, chart.title, chart.html) for chart in charts]


_NAME = re.compile(r"(?<![a-z0-9])[a-z0-9]+(?:-[a-z0-9]+)+")


def write_claims(
    writer: SiteWriter, report: JudgedReport, evidence: EvidenceFiles, shown: Collection[Path], progress: Progress
) -> None:
    """Write the pages of a report's claims, each with links to the previous and the next one.

    `shown` has the folders of runs and profiles with files in the site; others are not linked to.
    """
    verdicts = report.verdicts
    names = {one.claim.id for one in verdicts}
    for number, verdict in enumerate(verdicts):
        progress.update(number / len(verdicts), f"{report.name}: {verdict.claim.id}")
        claim = verdict.claim
        page = layout.claim_page(report.name, claim.id)
        found = evidence.claim_evidence(verdict, report.ledger.component)
        preset = found.runs[0].header.preset if found.runs else "quick"
        writer.page(
            page,
            "claim.html",
            report=report,
            verdict=verdict,
            claim=claim,
            evidence=found,
            shown=all(at in shown for at in evidence.folders(verdict)),
            figures=_figures(found.charts),
            commands=from_root(report.lab, repeat_claim(claim, report.ledger.component, preset)),
            params=_params(claim),
            note=linked(claim.note, names - {claim.id}, page, report.name),
            before=verdicts[number - 1] if number else None,
            behind=verdicts[number + 1] if number + 1 < len(verdicts) else None,
        )


def write_report(writer: SiteWriter, report: JudgedReport) -> None:
    """Write the page of a report."""
    repeat = shell_line("reproduce", report.ledger.component, quick=True, all=True)
    writer.page(layout.report_page(report.name), "report.html", report=report, commands=from_root(report.lab, [repeat]))


def linked(text: str, names: Collection[str], page: str, report: str) -> Markup:
    """Return a note as HTML, with the names of other claims linked to their pages."""

    def link(match: re.Match[str]) -> str:
        if match[0] not in names:
            return match[0]
        return f'<a href="{layout.relative(layout.claim_page(report, match[0]), page)}">{match[0]}</a>'

    return Markup(_NAME.sub(link, escape(text)))  # noqa: S704 - escaped before links are put in


def _params(claim: Claim) -> dict[str, str]:
    if not isinstance(claim, Measured):
        return {}
    shown = {name: str(value) for name, value in claim.params.items()}
    if isinstance(claim, Scaling):
        shown[claim.parameter] = f"{claim.start} to {claim.stop}"
    return shown


def write_runs(
    writer: SiteWriter,
    runs: Sequence[Run],
    evidence: EvidenceFiles,
    used_by: Mapping[Path, Sequence[tuple[str, str]]],
    progress: Progress,
) -> dict[str, list[Download]]:
    """Write the pages and files of runs; `used_by` maps a run's folder to the reports and claims that use it.

    Returns:
        The files of each run.
    """
    files = {}
    for number, run in enumerate(runs):
        progress.update(number / len(runs), f"run {run.id}")
        files[run.id] = write_run(writer, run)
        writer.page(
            layout.run_page(run.id),
            "run.html",
            run=run,
            header=run.header,
            commands=from_root(evidence.lab, [repeat_run(run.header)]),
            figures=_figures(evidence.charts_of(run)),
            files=files[run.id],
            claims=used_by.get(run.folder, ()),
        )
    return files


def write_machine(writer: SiteWriter, runs: Sequence[Run], aa_runs: Iterable[Run]) -> None:
    """Write the page of the machines that runs come from, with the noise bands that analyses use.

    Each band is from the newest A/A run of a machine, scenario, parameters and process length.
    """
    headers = [run.header for run in runs]
    runtimes = {(one.component, f"{one.runtime.name} {one.runtime.version}"): one.runtime.flags for one in headers}
    revisions = {(one.component, one.revision.commit, one.revision.dirty): one.created[:10] for one in headers}
    newest: dict[bytes, tuple[Run, NoiseBand]] = {}
    for run in sorted(aa_runs, key=lambda one: one.id):
        one, metric = run.header, run.header.scenario.headline
        if band := band_of(run, metric.of):
            key = [one.machine.id, one.component, metric, sorted(one.settings.items()), one.shape]
            newest[msgspec.json.encode(key)] = run, band
    noises = sorted(newest.values(), key=lambda of: of[0].id)
    writer.page(
        layout.MACHINE,
        "machine.html",
        runs=runs,
        runtimes=sorted((*key, flags) for key, flags in runtimes.items()),
        revisions=sorted((*key, day) for key, day in revisions.items()),
        noises=noises,
        disturbed=[run for run in runs if run.ending and run.ending.load.warnings()],
    )


_SCROLLED = '<div class="scroll" tabindex="0" role="group" aria-label="Output">'
_LANGUAGES = {"c#": "csharp"}


@dataclass(frozen=True)
class Notebook:
    """A notebook: its path in the checkout, the file that is shown, and the link that opens it.

    `refused` is the reason for showing the committed file instead of the one executed here.
    """

    source: str
    path: Path
    title: str
    launch: str
    document: NotebookNode
    refused: str = ""

    @property
    def page(self) -> str:
        """The path of its page."""
        return layout.rendered(self.source)

    @property
    def executed(self) -> bool:
        """True if any cell has outputs."""
        return any(cell.get("outputs") for cell in self.document.cells)


def find_notebooks(lab: Lab, markdown: Markdown) -> list[Notebook]:
    """Find all notebooks: as executed by this machine's newest reproduction, or as committed if changed since then."""
    topics = {notebook: one.name for one in find_components(lab) for notebook in one.notebooks}
    folders = find_reproductions(lab.results, this_machine().id)
    executed_here = {path.name: path for folder in folders for path in folder.iterdir()}
    found = []
    for committed in sorted(lab.notebooks.rglob("*.ipynb")):
        source = committed.relative_to(lab.root).as_posix()
        if "/." in source:
            continue  # JupyterLab keeps an older state in .ipynb_checkpoints
        (document, title, code), path, refused = _read(committed, markdown), committed, ""
        if other := executed_here.get(committed.name):
            try:
                executed, executed_title, executed_code = _read(other, markdown)
                if executed_code == code:
                    document, title, path = executed, executed_title, other
                else:
                    refused = f"{other} cannot be shown: its cells have changed since it was executed"
            except UsageError as error:
                refused = error.message
        launch = f"./lab open {topics.get(source, '')}".rstrip()
        found.append(Notebook(source, path, title or committed.stem, launch, document, refused))
    return found


def _read(path: Path, markdown: Markdown) -> tuple[NotebookNode, str, list[str]]:
    """Return a notebook, its title and the code of its cells."""
    import nbformat  # noqa: PLC0415 - more than a second

    with _shown(path):
        document = nbformat.reads(read_foreign(path).decode(), as_version=4)  # type: ignore[no-untyped-call]
        texts = [cell.source for cell in document.cells if cell.cell_type == "markdown"]
        code = [cell.source for cell in document.cells if cell.cell_type == "code"]
        return document, markdown.title(texts[0]) if texts else "", code


@contextmanager
def _shown(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 - libraries raise anything on a broken document
        reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise UsageError(f"{path} cannot be shown: {one_line(reason)}", "mend it, or remove it") from None


def write_notebooks(writer: SiteWriter, notebooks: list[Notebook], markdown: Markdown, progress: Progress) -> None:
    """Write a page for each notebook, and the notebook itself beside it."""
    for number, notebook in enumerate(notebooks):
        progress.update(number / len(notebooks), f"notebook {notebook.path.name}")
        # Redact before highlighting, which would split a path into several tags.
        text = writer.redact(json.dumps(notebook.document, ensure_ascii=False))
        with _shown(notebook.path):
            document = json.loads(text)
        body = body_of(replace(notebook, document=document), markdown)
        writer.page(notebook.page, "notebook.html", notebook=notebook, body=body)
        writer.text(notebook.source, f"{text}\n")
    writer.page(layout.NOTEBOOKS, "notebooks.html", notebooks=notebooks)


def body_of(notebook: Notebook, markdown: Markdown) -> Markup:
    """Return the notebook as HTML."""
    import nbformat  # noqa: PLC0415 - more than a second

    with _shown(notebook.path):
        document = nbformat.from_dict(notebook.document)  # type: ignore[no-untyped-call]
        return notebook_html(document, notebook.source, markdown)


# MIME types that a page can show without a script.
_SHOWN = {"text/html", "text/markdown", "image/svg+xml", "image/png", "image/jpeg", "text/latex", "text/plain"}


_MARKED = {"text/html", "image/svg+xml"}


# The sanitizer escapes double quotes within attribute values.
_WITHOUT_ALT = re.compile(r'<img((?: (?!alt=)[\w:-]+="[^"]*")+)>')


def notebook_html(document: NotebookNode, source: str, markdown: Markdown) -> Markup:
    """Return a notebook's cells and outputs without scripts; the page's script draws its charts."""
    import nbformat  # noqa: PLC0415 - more than a second
    from nbconvert import HTMLExporter, TemplateExporter  # noqa: PLC0415 - a second

    page = layout.rendered(source)
    language = str(document.metadata.get("language_info", {}).get("pygments_lexer", "python")).lower()
    # nbconvert has no stubs and is partly untyped.
    make: Any = HTMLExporter
    # By default it also loads templates, which are code, from the current folder.
    exporter = make(
        template_name="basic", extra_template_basedirs=[], exclude_input_prompt=True, exclude_output_prompt=True
    )
    lexer = _LANGUAGES.get(language, language)
    exporter.register_filter("markdown2html", lambda text: str(sanitized(markdown.html(text, source, page))))
    exporter.register_filter("highlight_code", lambda code, **_: highlighted(code, lexer))
    # The sanitizer removes anything unsafe at the end.
    exporter.register_filter("clean_html", lambda text: text.decode() if isinstance(text, bytes) else text)
    charts: dict[str, Markup] = {}
    for cell in document.cells:
        if cell.cell_type == "raw":
            cell.source = str(sanitized(cell.source))
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if isinstance(data.get(PLOTLY), dict):
                # A random marker, so that no notebook can forge a chart.
                place = f"chart-{secrets.token_hex(16)}"
                charts[place] = _drawn(data)
                output.data = nbformat.from_dict({"text/html": place})  # type: ignore[no-untyped-call]
            elif data:
                kept = {
                    kind: str(sanitized("".join(value))) if kind in _MARKED else value
                    for kind, value in data.items()
                    if kind in _SHOWN
                }
                kept = kept or {"text/plain": f"[not shown: {', '.join(data)}]"}
                if "text/html" in kept:
                    kept["text/html"] = f"{_SCROLLED}{kept['text/html']}</div>"
                output.data = nbformat.from_dict(kept)  # type: ignore[no-untyped-call]
    # HTMLExporter would parse the page again and highlight code differently.
    html, _ = TemplateExporter.from_notebook_node(exporter, document)
    # Scrollable areas must be reachable by keyboard, and images need an alternative text.
    body = str(sanitized(html)).replace("<pre>", '<pre tabindex="0">')
    body = _WITHOUT_ALT.sub(r'<img alt="A picture without a description"\1>', body)
    return Markup(re.sub("|".join(charts) or r"(?!)", lambda place: charts[place[0]], body))  # noqa: S704 - both are safe


def _drawn(data: dict[str, Any]) -> Markup:
    """Return a chart's bundle with only the form that pages draw; its image is for pages without scripts."""
    table = f"<pre>{escape(str(data.get('text/plain', '')))}</pre>"
    title = _layout(data[PLOTLY]).get("title", {})
    text = title.get("text", "") if isinstance(title, dict) else title
    return figure(_without_pictures(data[PLOTLY]), str(text), table)


# Images may load from any server; the other keys can change a chart later, even into one with images.
_LOADING = re.compile(r"images\b.*|source|updatemenus|sliders|frames")


def _without_pictures(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, dict):
        return {name: _without_pictures(one) for name, one in value.items() if not _LOADING.fullmatch(str(name))}
    return [_without_pictures(one) for one in value] if isinstance(value, list) else value


# Documents on how to do things first, then their background, then their parts.
_PLACES = (
    *("docs/*.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "datasets/README.md", "components/*/README.md"),
    "examples/*/README.md",
)


@dataclass(frozen=True)
class Document:
    """A document: its path in the checkout and in the site."""

    source: str
    page: str
    title: str


def find_documents(root: Path, markdown: Markdown) -> list[Document]:
    """Find all documents to publish in the site."""
    found = []
    for path in (path for pattern in _PLACES for path in sorted(root.glob(pattern))):
        source = path.relative_to(root).as_posix()
        found.append(Document(source, layout.rendered(source), markdown.title(_text_of(path)) or source))
    return found


def find_images(root: Path) -> dict[str, Path]:
    """Find the images that documents show, by path in the checkout."""
    return {path.relative_to(root).as_posix(): path for path in sorted(root.glob("docs/**/*.png"))}


def _text_of(path: Path) -> str:
    with _shown(path):
        return read_foreign(path).decode("utf-8", "replace")


def write_documents(writer: SiteWriter, root: Path, documents: list[Document], markdown: Markdown) -> None:
    """Write a page for each document, and their images."""
    for place, path in find_images(root).items():
        writer.copy(path, place)
    for document in documents:
        text = writer.redact(_text_of(root / document.source))  # before highlighting, as for notebooks
        body = sanitized(markdown.html(text, document.source, document.page))
        writer.page(document.page, "document.html", document=document, body=body)
    writer.page(layout.DOCUMENTS, "documents.html", documents=documents)
