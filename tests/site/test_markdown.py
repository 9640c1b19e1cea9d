"""Documents of the checkout lead on within the site, and to nothing that is not in it."""

from __future__ import annotations

import pytest

from perflab.site.markdown import Markdown

MARKDOWN = Markdown({"docs/measuring.md": "docs/measuring.html", "docs/images/a.png": "docs/images/a.png"})


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("[m](docs/measuring.md)", '<a href="docs/measuring.html">m</a>'),
        ("[m](./docs/../docs/measuring.md#the-fork)", '<a href="docs/measuring.html#the-fork">m</a>'),
        ("[here](#there)", '<a href="#there">here</a>'),
        ("[out](https://example.org/a.md)", '<a href="https://example.org/a.md">out</a>'),
        ("[code](src/a.py)", '<span class="in-checkout" title="in the checkout: src/a.py">code</span>'),
        ("![p](docs/images/a.png)", '<img src="docs/images/a.png" alt="p" />'),
    ],
)
def test_links(text: str, html: str) -> None:
    assert html in MARKDOWN.html(text, "README.md", "README.html")


def test_links_are_relative_to_the_page_that_they_stand_on() -> None:
    found = MARKDOWN.html("[m](../docs/measuring.md)", "notebooks/1.ipynb", "notebooks/1.html")
    assert '<a href="../docs/measuring.html">' in found


def test_headings_have_the_anchors_that_a_forge_gives_them() -> None:
    found = MARKDOWN.html("## The `fork`, is the unit\n## Same\n## Same", "a.md", "a.html")
    assert 'id="the-fork-is-the-unit"' in found
    assert 'id="same"' in found
    assert 'id="same-1"' in found


def test_a_table_has_no_head_of_empty_cells() -> None:
    found = MARKDOWN.html("| | |\n|---|---|\n| a | b |", "a.md", "a.html")
    assert "<th" not in found
    assert "<td>a</td>" in found
    assert "<th>h</th>" in MARKDOWN.html("| | h |\n|---|---|\n| a | b |", "a.md", "a.html")


def test_code_is_text_whether_its_language_is_known_or_not() -> None:
    for language in ("python", "no-such-language", ""):
        found = MARKDOWN.html(f"```{language}\n<b>x</b>\n```", "a.md", "a.html")
        assert "<b>" not in found
        assert "&lt;" in found
