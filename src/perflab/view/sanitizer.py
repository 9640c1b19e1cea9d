"""HTML of others, of which nothing runs, loads from elsewhere or covers the page."""

from __future__ import annotations

import re

import nh3
from markupsafe import Markup
from pygments.token import STANDARD_TYPES

from perflab.model.limits import TooMuchError, limit
from perflab.model.portable import portable

_EVERYWHERE = {"class", "id", "title", "lang", "dir", "style", "role", "tabindex", "aria-label"}
_STYLES = {
    "background-color",
    "color",
    "font-style",
    "font-weight",
    "opacity",
    "text-align",
    "text-decoration",
    "vertical-align",
    "white-space",
}
# The shorthand has a thickness, and a line may be as thick as the page is long; what is raised covers what is above.
_WORDS_OF = {
    "text-decoration": {"none", "underline", "overline", "line-through"},
    "vertical-align": {"baseline", "sub", "super", "top", "text-top", "middle", "bottom", "text-bottom"},
}
_PICTURE = re.compile(r"data:image/(gif|jpeg|png|svg\+xml|webp);base64,[A-Za-z0-9+/=\s]*")

# From a file, //host is a file of another machine, and so is /.//host. Browsers skip what is between the two.
_HOST = re.compile(r"[^?#]*[/\\][\s\x00-\x1f]*[/\\]")
_ELSEWHERE = re.compile(r"[\s\x00-\x1f]*(https?|mailto):", re.IGNORECASE)
"""Addresses of the web: a reader sees where they lead, and nothing is loaded from there."""

# Those that the style sheets have for notebooks and documents: with others, text would look like a verdict, or move.
_CLASSES = {"highlight", "in-checkout", "input_area", "output_html", "output_text", "scroll", "text_cell"}
_CLASSES |= set(STANDARD_TYPES.values())
_COLOUR = re.compile(r"ansi-[a-z-]+")


def _kept(tag: str, name: str, value: str) -> str | None:
    """What stays of an attribute; None if nothing does."""
    if name == "class":
        return " ".join(one for one in value.split() if one in _CLASSES or _COLOUR.fullmatch(one)) or None
    if name == "id" and tag not in _HEADINGS:
        return None
    return value if _leads_nowhere_else(tag, name, value) else None


_HEADINGS = {f"h{level}" for level in range(1, 7)}
"""What links lead to."""

_CLEANER = nh3.Cleaner(
    attributes={**nh3.ALLOWED_ATTRIBUTES, "*": _EVERYWHERE},
    attribute_filter=_kept,
    filter_style_properties=_STYLES,
    url_schemes={"http", "https", "mailto", "data"},
    link_rel=None,
)


_SKIPPED = "".join(map(chr, range(0x21)))


def _leads_nowhere_else(tag: str, name: str, value: str) -> bool:
    """Whether an address leads to a page or a file here, or is a picture, in which a browser runs no script."""
    if name == "style":
        # What is private in it is not taken out later: in a part of it, quotes may open and close otherwise.
        return portable(value) == value and _is_flat(value)
    if name not in {"href", "src", "cite"}:
        return True
    # As a browser reads it: it skips these at the ends, and line ends and tabs everywhere.
    value = re.sub(r"[\t\n\r]", "", value).strip(_SKIPPED)
    if not value.lower().startswith("data:"):
        elsewhere = _ELSEWHERE.match(value) is not None
        # What `portable` changes would be another address after it.
        return (name == "href" if elsewhere else not _HOST.match(value)) and portable(value) == value
    return (tag, name) == ("img", "src") and _PICTURE.fullmatch(value) is not None


def _is_flat(style: str) -> bool:
    """Whether nothing of a style can reach beyond its own text."""
    if "\\" in style or "/*" in style:
        return False
    pairs = (one.lower().partition(":") for one in style.split(";"))
    return all(value.strip() in _WORDS_OF.get(name.strip(), {value.strip()}) for name, _, value in pairs)


_MOST_ELEMENTS = 20_000
"""Parsing takes the square of the depth: 2 s for so many, each in the one before, minutes for ten times as many.

The lab's longest notebook has 4,500. The depth itself only a parser knows: closing tags may stand in comments.
"""
_MOST_REPEATED = 2_000_000
"""A parser opens what marks text again in each paragraph behind, if it was left open: 2 s for so many elements."""
_MOST_SOUGHT = 200_000_000
"""For each tag that closes, a parser looks through all elements that are open: 3 s for so many."""

_ELEMENT = re.compile(r"<[a-z]", re.IGNORECASE)
# Of those without attributes no more than three of a kind are opened again, and of links one.
_MARKS = re.compile(r"<(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/]", re.IGNORECASE)


_MOST_OPENED = 200_000_000
"""Characters that such elements may come to, each with its attributes."""

_LONGEST_TAG = 1 << 16
"""Characters: a parser compares each attribute with all before it."""
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def _is_long(part: str) -> bool:
    """Whether what begins with a tag may go on in it for long: no `>` ends it, or it stands in a value."""
    if len(part) <= _LONGEST_TAG:
        return False
    head, ended, _ = part[:_LONGEST_TAG].partition(">")
    return part[:1].isalpha() and (not ended or bool(set(_QUOTED.sub("", head)) & {'"', "'"}))


_MOST_PIECES = 200_000
"""Elements of a page whose parts are clean: what each opens it closes, and reading takes its length."""


def sanitized(html: str, *, of_pieces: bool = False) -> Markup:
    """The HTML without scripts, handlers, frames, forms, styles of pages, and links to anything but pages and files.

    Args:
        html: The HTML.
        of_pieces: Whether it was put together from what this function has returned.

    Raises:
        TooMuchError: If reading it could take minutes, or gigabytes.
    """
    if any(map(_is_long, html.split("<"))):
        raise TooMuchError("a tag of HTML is too long")
    elements = len(_ELEMENT.findall(html))
    if of_pieces:
        limit(elements, _MOST_PIECES, "elements of HTML")
        return Markup(_CLEANER.clean(html))  # noqa: S704 - this is what makes it safe
    limit(elements, _MOST_ELEMENTS, "elements of HTML")
    limit(elements * html.count("</"), _MOST_SOUGHT, "elements of HTML times tags that close one")
    limit(elements * len(_MARKS.findall(html)), _MOST_REPEATED, "elements of HTML with those that are opened again")
    opened = sum(len(part) for part in html.split("<") if _MARKS.match(f"<{part}"))
    limit(elements * opened, _MOST_OPENED, "elements of HTML times characters of those that are opened again")
    return Markup(_CLEANER.clean(html))  # noqa: S704 - this is what makes it safe
