"""Render the checkout's Markdown as HTML: headings get GitHub's anchors, links lead to the site's pages."""

from __future__ import annotations

import posixpath
import re
from contextlib import suppress
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

from perflab.site.layout import relative

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markdown_it.token import Token

# All their colours have a contrast of at least 4.5:1 on code blocks.
_LIGHT, _DARK = "xcode", "github-dark"
_LIGHT_INK, _DARK_INK = "#1f2328", "#e6edf3"


def highlighted(code: str, language: str) -> str:
    """Return code as HTML with pygments' classes; plain if pygments does not know the language."""
    lexer = None
    with suppress(ClassNotFound):
        lexer = get_lexer_by_name(language)
    if lexer is None:
        return f'<pre tabindex="0"><code>{escape(code)}</code></pre>'
    marked: str = highlight(code, lexer, HtmlFormatter(nowrap=True))
    return f'<pre class="highlight" tabindex="0"><code>{marked}</code></pre>'


def code_style() -> str:
    """Return the CSS rules of tokens, for light and dark pages."""
    light, dark = (_colours(name) for name in (_LIGHT, _DARK))
    return "".join(
        f".highlight .{kind} {{ color: light-dark({light.get(kind, _LIGHT_INK)}, {dark.get(kind, _DARK_INK)}); }}\n"
        for kind in sorted(light | dark)
    )


def _colours(style: str) -> dict[str, str]:
    chosen = get_style_by_name(style)
    return {
        kind: f"#{colour}"
        for token, kind in STANDARD_TYPES.items()
        if kind and (colour := chosen.style_for_token(token)["color"])
    }


_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
# Markdown requires a table head; empty cells stand for a missing one.
_HEADLESS = re.compile(r"<thead>\s*<tr>\s*(<th[^>]*></th>\s*)+</tr>\s*</thead>\s*")
_TABLE_BEGIN = '<div class="scroll" tabindex="0" role="group" aria-label="Table">'


class Markdown:
    """Renders documents.

    Args:
        published: Pages and files of the site by path in the checkout.
    """

    def __init__(self, published: Mapping[str, str]) -> None:
        self._published = published
        self._parser = MarkdownIt("commonmark", {"highlight": _fenced}).enable(["table", "strikethrough"])

    def html(self, text: str, source: str, page: str) -> str:
        """Render a text.

        Args:
            text: The text.
            source: Its path in the checkout.
            page: The page that will contain it.
        """
        tokens = self._parser.parse(text)
        _name_headings(tokens)
        for token in tokens:
            self._lead_on(token.children or [], source, page)
        html: str = self._parser.renderer.render(tokens, self._parser.options, {})
        html = _HEADLESS.sub("", html).replace("<th></th>", "<td></td>")
        return html.replace("<table>", f"{_TABLE_BEGIN}<table>").replace("</table>", "</table></div>")

    def title(self, text: str) -> str:
        """Return the first heading's text; empty without one."""
        match = re.search(r"^# (.+)$", text, re.MULTILINE)
        return re.sub(r"[`*]", "", match[1]).strip() if match else ""

    def target(self, href: str, source: str, page: str) -> str | None:
        """Return the site's target of a document's link; None if the target is only in the checkout."""
        if href.startswith("#") or _ELSEWHERE.match(href):
            return href
        place, _, heading = href.partition("#")
        found = self._published.get(posixpath.normpath(posixpath.join(posixpath.dirname(source), place)))
        if found is None:
            return None
        return relative(found, page) + (f"#{heading}" if heading else "")

    def _lead_on(self, tokens: Sequence[Token], source: str, page: str) -> None:
        opened: list[Token] = []
        for token in tokens:
            if token.type == "image":
                token.attrSet("src", self.target(str(token.attrGet("src")), source, page) or "")
            elif token.type == "link_open":
                opened.append(token)
                href = str(token.attrGet("href"))
                target = self.target(href, source, page)
                if target is None:
                    # Readers of the site have no checkout: show the name and path without a link.
                    token.tag, token.attrs = "span", {"class": "in-checkout", "title": f"in the checkout: {href}"}
                else:
                    token.attrSet("href", target)
            elif token.type == "link_close":
                token.tag = opened.pop().tag


def _name_headings(tokens: Sequence[Token]) -> None:
    seen: dict[str, int] = {}
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            name = re.sub(r"[^\w\- ]", "", inline.content.lower()).replace(" ", "-")
            seen[name] = seen.get(name, -1) + 1
            token.attrSet("id", f"{name}-{seen[name]}" if seen[name] else name)


def _fenced(code: str, language: str, _attributes: str) -> str:
    return highlighted(code, language)
