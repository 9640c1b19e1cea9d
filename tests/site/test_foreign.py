"""Nothing of a notebook or a document runs in the report."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import foreign
import pytest

from perflab.site.markdown import Markdown
from perflab.site.pages import Document, figure, notebook_html
from perflab.site.sanitizer import sanitized
from perflab.site.writer import SiteWriter

if TYPE_CHECKING:
    from perflab.site.site import SiteResult


@pytest.mark.parametrize("html", foreign.HTML)
def test_nothing_of_it_runs(html: str) -> None:
    assert foreign.Running(html).found or html.startswith("<!--"), "a test that could not fail"
    assert foreign.Running(sanitized(html)).found == []


@pytest.mark.parametrize(
    "address",
    [
        *("//example.org/p.png", "\\\\example.org\\s\\p.png", "/\\example.org/p", "/.//example.org/p"),
        *("../..//example.org/p", "a/..\t/\n/example.org/p"),
    ],
)
def test_no_picture_is_one_of_another_machine(address: str) -> None:
    assert sanitized(f'<img src="{address}">') == "<img>"


@pytest.mark.parametrize(
    "html",
    [
        '<table><caption>c</caption><thead><tr><th scope="col" style="text-align:left">h</th></tr></thead></table>',
        '<span class="ansi-red-fg" style="opacity:0.6">a &lt; b</span>',
        '<div class="scroll" tabindex="0" role="group" aria-label="Output">o</div>',
        '<a href="../docs/a.html#b//c" title="t">a</a><a href="https://example.org/a//b">b</a><h1 id="c">c</h1>',
        '<img src="data:image/png;base64,aW1hZ2U=" alt="i" width="3" height="4"><img src="a.png">',
        "<details><summary>s</summary>d</details>",
    ],
)
def test_what_is_shown_stays_as_it_is(html: str) -> None:
    assert sanitized(html) == html


def test_classes_and_names_that_a_page_needs_stay_and_others_go() -> None:
    html = (
        '<pre class="highlight bar"><b class="kd ansi-red-fg" id="theme">k</b></pre><p class="launch" id="main">p</p>'
    )
    assert sanitized(html) == '<pre class="highlight"><b class="kd ansi-red-fg">k</b></pre><p>p</p>'
    style = (files("perflab.site") / "assets" / "site.css").read_text(encoding="utf-8")
    assert "body > .skip {" in style
    assert not re.search(r"^\.skip\b", style, re.MULTILINE)


def test_a_notebook_keeps_its_charts_and_nothing_that_runs() -> None:
    html = notebook_html(foreign.notebook(), "notebooks/a.ipynb", Markdown({}))
    charts = re.findall(r'<figure class="chart">\n.*?</figure>', html, re.DOTALL)
    assert len(charts) == 2
    for chart in charts:
        assert "example.org" not in chart
        html = html.replace(chart, "")
        data = re.sub(r'<script type="application/json">[^<]*</script>|style="min-height:\d+px"', "", chart)
        assert foreign.Running(data).found == []
    assert foreign.Running(html).found == []


# A value that seems to begin in front of one tag's end, and to end where the next one's begins.
_FREEING = (
    '<p title="{} ">x</p><p lang=" onmouseover=alert(1) style=position:fixed;inset:0 ">y</p>',
    '<img alt="{}" title=" src=//example.org/p.png onerror=alert(1) ">',
    '<p title="{}&quot;">x</p><p lang="&quot; onmouseover=alert(1)">y</p>',
    """<p style="color:--token \\&quot;a;opacity:'b\\&quot; ;position:fixed;inset:0;x:'" title="{}">x</p>""",
)
_SEEMING = ("--token ", "token=", "password:", "Authorization: Bearer x", "curl -u a:", "//x:y")


@pytest.mark.parametrize("seeming", _SEEMING)
@pytest.mark.parametrize("freeing", _FREEING)
def test_what_is_private_goes_without_a_tag_becoming_another(tmp_path: Path, seeming: str, freeing: str) -> None:
    html = freeing.format(seeming)
    body = f'{html}<p style="color:red" title="{Path.home()}/a">{Path.home()}/b</p>'
    chart = figure({"data": [{"name": f"{Path.home()}/c {seeming}", "text": '<" x>'}], "layout": {}}, seeming, "")
    writer = SiteWriter(tmp_path / "site")
    document = Document("d.md", "d.html", seeming)
    writer.share(notebooks_written=False)
    writer.page("d.html", "document.html", document=document, body=sanitized(body) + chart)
    text = (tmp_path / "site" / "d.html").read_text(encoding="utf-8")
    found = foreign.Running(text[text.index("<main") :]).found
    assert [one for one in found if one != "script"] == []
    assert '<p style="color:red" title="~/a">~/b</p>' in text
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', text)
    (trace,) = json.loads(data)["data"]
    assert trace["name"].startswith("~/c ")
    assert trace["text"] == '<" x>'


def test_every_page_has_the_policy_before_anything_that_it_holds_back(site: SiteResult) -> None:
    for path in site.pages:
        text = (site.index.parent / path).read_text(encoding="utf-8")
        policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', text)
        assert policy
        assert policy.start() < min(text.index(f"<{tag}") for tag in ("script", "link", "title"))
        scripts = re.search(r"script-src ([^;]+)", policy[1])
        assert scripts
        assert "unsafe" not in scripts[1]
