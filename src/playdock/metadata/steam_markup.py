"""BBCode as Steam's descriptions have it, written as HTML that still has to be sanitised."""

import html
from collections.abc import Callable
from typing import Any

import bbcode  # type: ignore[import-untyped]

_INLINE = {"b": "b", "i": "i", "strike": "s", "s": "s", "th": "th", "td": "td"}
_BLOCKS = {"h1": "h1", "h2": "h2", "h3": "h3", "p": "p"}
_FRAMES = {"list": "ul", "olist": "ol", "table": "table", "tr": "tr"}
_TRANSPARENT = ("u", "spoiler", "center", "color", "size", "section", "expand", "carousel")

_Options = dict[str, str] | None
_Render = Callable[[str, str, _Options, Any, Any], str]


def steam_markup(*, most_depth: int) -> Any:
    """Build the parser of Steam's tags; what is nested deeper than `most_depth`, or is not known, stays text.

    https://steamcommunity.com/comment/Recommendation/formattinghelp, and what descriptions have beyond it.
    """
    parser = bbcode.Parser(
        newline="<br>", install_defaults=False, replace_links=False, replace_cosmetic=False, max_tag_depth=most_depth
    )
    for name, tag in _INLINE.items():
        parser.add_formatter(name, _within(tag))
    for name, tag in _BLOCKS.items():
        parser.add_formatter(name, _within(tag), swallow_trailing_newline=True)
    for name, tag in _FRAMES.items():
        parser.add_formatter(name, _within(tag), transform_newlines=False, swallow_trailing_newline=True)
    for name in _TRANSPARENT:
        parser.add_formatter(name, _content)
    for name in ("url", "dynamiclink"):
        parser.add_formatter(name, _link)
    # An item ends where the next one or the list does; what reads the HTML knows that.
    parser.add_simple_formatter("*", "<li>", standalone=True)
    parser.add_simple_formatter("hr", "<hr>", standalone=True)
    parser.add_formatter("quote", _quotation, swallow_trailing_newline=True)
    parser.add_formatter("code", _within("pre"), render_embedded=False, transform_newlines=False)
    parser.add_formatter("noparse", _content, render_embedded=False)
    return parser


def _within(tag: str) -> _Render:
    return lambda _name, content, _options, _parent, _context: f"<{tag}>{content}</{tag}>"


def _content(_name: str, content: str, _options: _Options, _parent: Any, _context: Any) -> str:
    return content


def _link(_name: str, content: str, options: _Options, _parent: Any, _context: Any) -> str:
    given = (options or {}).get("url") or (options or {}).get("href")
    if given:
        return f'<a href="{html.escape(given)}">{content}</a>'
    # Content with tags is no address. Written twice all the same, it would double at each level of nested links.
    return content if "<" in content else f'<a href="{content}">{content}</a>'


def _quotation(_name: str, content: str, options: _Options, _parent: Any, _context: Any) -> str:
    author = (options or {}).get("quote")
    signed = f"<br>— {html.escape(author)}" if author else ""
    return f"<blockquote>{content}{signed}</blockquote>"
