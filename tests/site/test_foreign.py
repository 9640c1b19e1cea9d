"""Nothing of a notebook or a document runs in the report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import foreign
import pytest

from perflab.model.lab import CHECKOUT
from perflab.view.markdown import Markdown
from perflab.view.pages import notebook_html
from perflab.view.sanitizer import sanitized

if TYPE_CHECKING:
    from perflab.view.site import SiteResult


@pytest.mark.parametrize("html", foreign.HTML)
def test_nothing_of_it_runs(html: str) -> None:
    assert foreign.Running(html).found or html.startswith("<!--"), "a test that could not fail"
    assert foreign.Running(sanitized(html)).found == []


@pytest.mark.parametrize(
    "address",
    [
        *("//example.org/p.png", "\\\\example.org\\s\\p.png", "/\\example.org/p", "/.//example.org/p"),
        *("../..//example.org/p", "a/..\t/\n/example.org/p", f"a{CHECKOUT}/b"),
    ],
)
def test_no_picture_is_one_of_another_machine_and_no_address_becomes_another(address: str) -> None:
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


def test_what_is_nested_too_deeply_is_refused_before_it_takes_minutes() -> None:
    assert sanitized("<br><p>a</p>" * 9_000).startswith("<br>")
    with pytest.raises(ValueError, match="elements of HTML: 100,000"):
        sanitized("<div>" * 100_000 + "</div>" * 100_000)


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


def test_every_page_has_the_policy_before_anything_that_it_holds_back(site: SiteResult) -> None:
    for path in site.pages:
        text = (site.index.parent / path).read_text(encoding="utf-8")
        policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', text)
        assert policy
        assert policy.start() < min(text.index(f"<{tag}") for tag in ("script", "link", "title"))
        scripts = re.search(r"script-src ([^;]+)", policy[1])
        assert scripts
        assert "unsafe" not in scripts[1]
