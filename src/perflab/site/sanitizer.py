"""Sanitize foreign HTML: nothing in it runs, loads from elsewhere or covers the page."""

from __future__ import annotations

import re

import nh3
from markupsafe import Markup
from pygments.token import STANDARD_TYPES

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
# The shorthand can set a thickness of a page's height; raised text can cover the text above.
_WORDS_OF = {
    "text-decoration": {"none", "underline", "overline", "line-through"},
    "vertical-align": {"baseline", "sub", "super", "top", "text-top", "middle", "bottom", "text-bottom"},
}
_PICTURE = re.compile(r"data:image/(gif|jpeg|png|svg\+xml|webp);base64,[A-Za-z0-9+/=\s]*")

# In a local file, //host and /.//host refer to another machine. Browsers ignore what is between the slashes.
_HOST = re.compile(r"[^?#]*[/\\][\s\x00-\x1f]*[/\\]")
_ELSEWHERE = re.compile(r"[\s\x00-\x1f]*(https?|mailto):", re.IGNORECASE)
"""Web addresses: allowed in links, whose target readers see; nothing is loaded from them."""

# The style sheets' classes for notebooks and documents; others could make text look like a verdict, or move it.
_CLASSES = {"highlight", "in-checkout", "input_area", "output_html", "output_text", "scroll", "text_cell"}
_CLASSES |= set(STANDARD_TYPES.values())
_COLOUR = re.compile(r"ansi-[a-z-]+")


def _kept(tag: str, name: str, value: str) -> str | None:
    """Return the allowed part of an attribute's value, or None to drop it."""
    if name == "class":
        return " ".join(one for one in value.split() if one in _CLASSES or _COLOUR.fullmatch(one)) or None
    if name == "id" and tag not in _HEADINGS:
        return None
    return value if _leads_nowhere_else(tag, name, value) else None


_HEADINGS = {f"h{level}" for level in range(1, 7)}
"""Elements that may have an id, as targets of links."""

_CLEANER = nh3.Cleaner(
    attributes={**nh3.ALLOWED_ATTRIBUTES, "*": _EVERYWHERE},
    attribute_filter=_kept,
    filter_style_properties=_STYLES,
    url_schemes={"http", "https", "mailto", "data"},
    link_rel=None,
)


_SKIPPED = "".join(map(chr, range(0x21)))


def _leads_nowhere_else(tag: str, name: str, value: str) -> bool:
    """Check that an address is a page or file of the site, a web link, or an embedded image (which runs no script)."""
    if name == "style":
        return _is_flat(value)
    if name not in {"href", "src", "cite"}:
        return True
    # Browsers strip these at both ends, and line ends and tabs everywhere.
    value = re.sub(r"[\t\n\r]", "", value).strip(_SKIPPED)
    if not value.lower().startswith("data:"):
        elsewhere = _ELSEWHERE.match(value) is not None
        return name == "href" if elsewhere else not _HOST.match(value)
    return (tag, name) == ("img", "src") and _PICTURE.fullmatch(value) is not None


def _is_flat(style: str) -> bool:
    """Check that a style cannot affect anything outside its own text."""
    if "\\" in style or "/*" in style:
        return False
    pairs = (one.lower().partition(":") for one in style.split(";"))
    return all(value.strip() in _WORDS_OF.get(name.strip(), {value.strip()}) for name, _, value in pairs)


def sanitized(html: str) -> Markup:
    """Return HTML without scripts, handlers, frames, forms, style sheets, and links to anything but pages and files."""
    return Markup(_CLEANER.clean(html))  # noqa: S704 - this is what makes it safe
