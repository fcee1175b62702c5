"""Conversion of Steam's BBCode to unsanitised HTML."""

import html
from collections.abc import Callable
from typing import Any

import bbcode  # type: ignore[import-untyped]

_INLINE = {"b": "b", "i": "i", "strike": "s", "s": "s", "th": "th", "td": "td"}
_BLOCKS = {"h1": "h1", "h2": "h2", "h3": "h3", "p": "p"}
_CONTAINERS = {"list": "ul", "olist": "ol", "table": "table", "tr": "tr"}
_TRANSPARENT = ("u", "spoiler", "center", "color", "size", "section", "expand", "carousel")

_Options = dict[str, str] | None
_Render = Callable[[str, str, _Options, Any, Any], str]


def steam_markup(*, max_depth: int) -> Any:
    """Return the parser of Steam's tags; unknown tags, and tags nested deeper than `max_depth`, are kept as text.

    The tags are those of https://steamcommunity.com/comment/Recommendation/formattinghelp, and others that occur in
    descriptions.
    """
    parser = bbcode.Parser(
        newline="<br>", install_defaults=False, replace_links=False, replace_cosmetic=False, max_tag_depth=max_depth
    )
    for name, tag in _INLINE.items():
        parser.add_formatter(name, _wrapped_in(tag))
    for name, tag in _BLOCKS.items():
        parser.add_formatter(name, _wrapped_in(tag), swallow_trailing_newline=True)
    for name, tag in _CONTAINERS.items():
        parser.add_formatter(name, _wrapped_in(tag), transform_newlines=False, swallow_trailing_newline=True)
    for name in _TRANSPARENT:
        parser.add_formatter(name, _content)
    for name in ("url", "dynamiclink"):
        parser.add_formatter(name, _link)
    # List items have no closing tag; the HTML parser closes them.
    parser.add_simple_formatter("*", "<li>", standalone=True)
    parser.add_simple_formatter("hr", "<hr>", standalone=True)
    parser.add_formatter("quote", _quotation, swallow_trailing_newline=True)
    parser.add_formatter("code", _wrapped_in("pre"), render_embedded=False, transform_newlines=False)
    parser.add_formatter("noparse", _content, render_embedded=False)
    return parser


def _wrapped_in(tag: str) -> _Render:
    return lambda _name, content, _options, _parent, _context: f"<{tag}>{content}</{tag}>"


def _content(_name: str, content: str, _options: _Options, _parent: Any, _context: Any) -> str:
    return content


def _link(_name: str, content: str, options: _Options, _parent: Any, _context: Any) -> str:
    target = (options or {}).get("url") or (options or {}).get("href")
    if target:
        return f'<a href="{html.escape(target)}">{content}</a>'
    # Content with tags is not a URL. Repeating it would double its length at each level of nested links.
    return content if "<" in content else f'<a href="{content}">{content}</a>'


def _quotation(_name: str, content: str, options: _Options, _parent: Any, _context: Any) -> str:
    author = (options or {}).get("quote")
    signed = f"<br>— {html.escape(author)}" if author else ""
    return f"<blockquote>{content}{signed}</blockquote>"
