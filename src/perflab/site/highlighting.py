"""Colours for code: pygments' classes, and one style sheet for light and dark pages."""

from __future__ import annotations

from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

# All their colours have a contrast of 4.5:1 or more on the pages' code blocks.
_LIGHT, _DARK = "xcode", "github-dark"
_LIGHT_INK, _DARK_INK = "#1f2328", "#e6edf3"


def highlighted(code: str, language: str) -> str:
    """Code with its parts marked by pygments' classes; as it is, if pygments does not know the language."""
    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return f'<pre tabindex="0"><code>{escape(code)}</code></pre>'
    marked: str = highlight(code, lexer, HtmlFormatter(nowrap=True))
    return f'<pre class="highlight" tabindex="0"><code>{marked}</code></pre>'


def code_style() -> str:
    """A rule for each kind of token, with its colour on light and on dark pages."""
    light, dark = (_colours(name) for name in (_LIGHT, _DARK))
    return "".join(
        f".highlight .{kind} {{ color: light-dark({light.get(kind, _LIGHT_INK)}, {dark.get(kind, _DARK_INK)}); }}\n"
        for kind in sorted(light | dark)
    )


def _colours(style: str) -> dict[str, str]:
    chosen = get_style_by_name(style)
    found = {}
    for token, kind in STANDARD_TYPES.items():
        colour = chosen.style_for_token(token)["color"]
        if kind and colour:
            found[kind] = f"#{colour}"
    return found
