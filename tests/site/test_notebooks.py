"""Notebooks as pages: outputs as they were, charts once, and nothing from elsewhere."""

from __future__ import annotations

import json
import re
from html import unescape

import nbformat.v4 as nb

from perflab.charts.chart import PLOTLY
from perflab.site.markdown import Markdown
from perflab.site.pages import figure, notebook_html

CHART = {"data": [{"type": "bar", "x": [1, 2], "name": "</script><b>"}], "layout": {"title": {"text": "Sums"}}}


def notebook() -> str:
    bundle = {PLOTLY: CHART, "image/png": "aW1hZ2U=", "text/plain": "a <table>"}
    outputs = [
        nb.new_output("stream", name="stdout", text="1 < 2 \x1b[31mred\x1b[0m"),
        nb.new_output("display_data", data=bundle),
        nb.new_output("display_data", data={"text/html": "<table><tr><td>cell</td></tr></table>", "text/plain": "t"}),
    ]
    cells = [nb.new_markdown_cell("# Sums\n[m](../docs/m.md)"), nb.new_code_cell("val x = 1 < 2", outputs=outputs)]
    document = nb.new_notebook(cells=cells, metadata={"language_info": {"name": "kotlin", "pygments_lexer": "kotlin"}})
    return notebook_html(document, "notebooks/1.ipynb", Markdown({"docs/m.md": "docs/m.html"}))


def test_text_code_and_tables_are_shown() -> None:
    html = notebook()
    assert '<h1 id="sums">Sums</h1>' in html
    assert 'href="../docs/m.html"' in html
    assert "1 &lt; 2 " in html
    assert "ansi-red-fg" in html
    assert "<td>cell</td>" in html
    assert re.search(r'<span class="\w+">val</span>', html)


def test_a_chart_is_its_data_and_its_table_without_the_image() -> None:
    html = notebook()
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', html)
    assert json.loads(data) == CHART
    assert "a &lt;table&gt;" in html
    assert "aW1hZ2U=" not in html
    assert "require" not in html


def test_a_picture_has_a_text() -> None:
    pictures = [{"image/png": "aW1hZ2U="}, {"image/svg+xml": "<svg></svg>"}]
    pictures += [{"text/html": f'<p title="{title}">x</p>'} for title in ("<img>", "<img src='a'>")]
    outputs = [nb.new_output("display_data", data=data) for data in [*pictures, {"text/html": '<img alt="i" src="a">'}]]
    document = nb.new_notebook(cells=[nb.new_code_cell("if x: pass", outputs=outputs)])
    html = notebook_html(document, "notebooks/1.ipynb", Markdown({}))
    assert html.count('<img alt="A picture without a description" src="data:') == 2
    assert '<img alt="i" src="a">' in html
    assert html.count("A picture") == 2


def test_a_charts_name_is_text_and_never_markup() -> None:
    found = str(figure({"data": []}, 'a "b" <c>', "<table></table>"))
    (name,) = re.findall(r'class="plot" role="group" aria-label="([^"]+)"', found)
    assert unescape(name).startswith('Chart: a "b" <c>.')
