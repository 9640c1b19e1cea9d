"""A notebook and a document of somebody else, who wants to have a script of theirs run, or something loaded."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

import nbformat.v4 as nb

from perflab.charts.chart import PLOTLY

if TYPE_CHECKING:
    from pathlib import Path

    from nbformat import NotebookNode

_RUN = "window.ran = 1"
HTML = (
    f"<script>{_RUN}</script>",
    f'<script type="module">{_RUN}</script>',
    f"<SCRIPT/x>{_RUN}</SCRIPT>",
    f'<img src="missing.png" onerror="{_RUN}">',
    f'<img/src="missing"onerror="{_RUN}">',
    f'<details open ontoggle="{_RUN}">d</details>',
    f'<body onload="{_RUN}"><p onmouseover="{_RUN}" style="position: fixed; inset: 0">over it all</p>',
    f'<input autofocus onfocus="{_RUN}">',
    f'<video><source onerror="{_RUN}"></video>',
    f'<a href="javascript:{_RUN}">j</a>',
    f'<a href="&#106;ava\nscript:{_RUN}">e</a>',
    f'<a href="vbscript:{_RUN}">v</a>',
    f'<a href="data:text/html,&lt;script>{_RUN}&lt;/script>">d</a>',
    f'<iframe src="javascript:{_RUN}"></iframe>',
    f'<iframe srcdoc="&lt;script>parent.{_RUN}&lt;/script>"></iframe>',
    '<object data="data:text/html,o"></object><embed src="data:text/html,e">',
    '<base href="https://example.org/">',
    '<meta http-equiv="refresh" content="0;url=https://example.org/">',
    '<link rel="stylesheet" href="https://example.org/x.css">',
    "<style>body { display: none } @import 'https://example.org/x.css';</style>",
    '<p style="background: url(https://example.org/p.png)">b</p>',
    '<div class="scroll skip" tabindex="0">over it all</div><span class="verdict reproduced">said</span>',
    f'<svg onload="{_RUN}"><script>{_RUN}</script><a xlink:href="javascript:{_RUN}"><text>s</text></a></svg>',
    f'<math><mtext><table><mglyph><style><img src onerror="{_RUN}"></style></mglyph></table></mtext></math>',
    f'<noscript><p title="</noscript><img src=x onerror={_RUN.replace(" ", "")}>"></noscript>',
    f"<template><script>{_RUN}</script></template>",
    f'<form action="javascript:{_RUN}"><button formaction="javascript:{_RUN}">f</button></form>',
    f"<!--><script>{_RUN}</script>-->",
    f'<figure class="chart"><div class="plot"></div><script type="application/json">{_RUN}</script></figure>',
    f'<div id="theme"></div></main></body><script>{_RUN}</script>',
)
MARKDOWN = "\n\n".join((*HTML, f"[j](javascript:{_RUN})", "![d](data:text/html,d)", "<javascript:alert(1)>"))

_LINK = f'<a href="javascript:{_RUN}">link</a><img src=x onerror="{_RUN}">'
CHART = {
    "data": [{"type": "bar", "x": [_LINK], "y": [1], "text": [_LINK], "hovertext": [_LINK], "name": _LINK}],
    "layout": {
        "title": {"text": _LINK},
        "annotations": [{"text": _LINK, "x": 0, "y": 1}],
        "images": [{"source": "https://example.org/p.png"}],
        "template": {"layout": {"images": [{"source": "https://example.org/t.png"}]}},
        "updatemenus": [{"buttons": [{"method": "relayout", "args": ["images[0].source", "https://example.org/u"]}]}],
        "sliders": [{"steps": [{"args": [{"images": [{"source": "https://example.org/s"}]}]}]}],
    },
    "frames": [{"layout": {"images": [{"source": "https://example.org/f"}]}}],
}


def notebook() -> NotebookNode:
    """One with each of them as Markdown, as source and as output, and a chart with links."""
    data = [{"text/html": html} for html in HTML]
    data += [{"text/markdown": MARKDOWN}, {"image/svg+xml": HTML[-8]}, {"application/javascript": _RUN}]
    data += [{"application/vnd.jupyter.widget-view+json": {"model_id": f"</script><script>{_RUN}</script>"}}]
    data += [{PLOTLY: CHART, "text/plain": HTML[0]}, {PLOTLY: {"data": [], "layout": None}}, {PLOTLY: "no chart"}]
    isolated = {"text/html": {"isolated": True}}
    outputs = [nb.new_output("display_data", data=one) for one in data]
    outputs.append(nb.new_output("display_data", data={"text/html": HTML[0]}, metadata=isolated))
    outputs.append(nb.new_output("stream", text=HTML[0]))
    outputs.append(nb.new_output("error", ename=HTML[0], evalue=HTML[3], traceback=[HTML[0]]))
    png = {"image/png": {"width": f'1 onerror="{_RUN}"', "alt": f'"><script>{_RUN}</script>'}}
    outputs.append(nb.new_output("display_data", data={"image/png": f'x"><script>{_RUN}</script>'}, metadata=png))
    tags = {"tags": [f'"><script>{_RUN}</script>']}
    cells = [
        nb.new_markdown_cell(f"# Foreign\n\n{MARKDOWN}"),
        nb.new_raw_cell(HTML[0], metadata={"raw_mimetype": "text/html"}),
        nb.new_code_cell(HTML[0], outputs=outputs, metadata=tags),
    ]
    language = {"name": "python", "pygments_lexer": f"</code><script>{_RUN}</script>"}
    return nb.new_notebook(cells=cells, metadata={"language_info": language})


def checkout(folder: Path) -> Path:
    """A project with that notebook and such a document."""
    (folder / "notebooks").mkdir(parents=True)
    (folder / "notebooks" / "foreign.ipynb").write_text(nb.writes(notebook()), encoding="utf-8")
    (folder / "docs").mkdir()
    for name in ("foreign", "measuring"):
        (folder / "docs" / f"{name}.md").write_text(f"# Foreign\n\n{MARKDOWN}", encoding="utf-8")
    return folder


_RUNS = {"script", "iframe", "frame", "object", "embed", "applet", "base", "meta", "link", "style", "form", "input"}
_RUNS |= {"button", "svg", "math", "template", "noscript", "video", "audio", "source", "body", "html"}
_SCHEMES = ("javascript:", "vbscript:", "data:")
_STYLES = ("position", "url", "inset", "display")
_OURS = {"skip", "hidden", "verdict", "reproduced", "bar"}
"""Classes by which a page's own style moves something, or says what only the lab says."""


class Running(HTMLParser):
    """Lists what of some HTML would run, load or cover something."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            said = "".join((value or "").split()).lower()
            harmful = name.startswith("on") or name in {"srcdoc", "formaction", "action"}
            harmful |= said.startswith(_SCHEMES) and not (tag == "img" and said.startswith("data:image/"))
            harmful |= name == "style" and any(one in said for one in _STYLES)
            harmful |= name == "class" and not _OURS.isdisjoint((value or "").split())
            self.found += [f"{tag} {name}={value}"] if harmful else []
        self.found += [tag] if tag in _RUNS else []
