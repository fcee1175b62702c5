"""Prose: descriptions from providers, in HTML or BBCode, become Markdown or one plain line.

Nothing of a description is trusted. What comes out holds no raw HTML, no pictures (they would load from other hosts)
and only absolute http(s) links; text that looks like markup is escaped. What goes in is capped in characters, tags and
depth, because the parsers take quadratic time over unclosed tags: the worst input costs about a second, and what is
nested beyond reason becomes plain text.
"""

import html
import re
from itertools import accumulate
from urllib.parse import quote, urljoin, urlsplit

from playdock.kit.late import late
from playdock.metadata.steam_markup import steam_markup

MOST_CHARACTERS = 100_000
_MOST_READ = 200_000
_MOST_TAGS = 10_000
_MOST_DEPTH = 20

_BLOCKS = {"p", "br", "hr", "div", "blockquote", "pre", "ul", "ol", "li", "table", "tr", "th", "td"}
_HEADINGS = {f"h{level}" for level in range(1, 7)}
_KEPT = _BLOCKS | _HEADINGS | {"a", "b", "strong", "i", "em", "s", "del", "code"}
_GONE_WITH_CONTENT = {"script", "style", "iframe", "noscript", "object", "svg", "math", "video", "audio", "title"}

# What reads and writes markup takes long to load, and is used in imports alone.
_WRITER, _SANITISER = "playdock.metadata.markdown", "nh3"
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_OPENING_OR_CLOSING = re.compile(r"<(/?)(?!br>|hr>)\w")
_SEAM = re.compile(rf"(?i)[<\[](?=/?(?:{'|'.join(sorted(_BLOCKS | _HEADINGS))}|list|olist|quote|code|\*)[\]>\s/=])")
_MEDIA = re.compile(r"(?i)\[(img|video|previewyoutube)\b[^\[\]\n]*\](?:[^\[]*\[/\1\])?")

_BBCODE = steam_markup(most_depth=_MOST_DEPTH)


def from_html(text: str, *, base: str = "") -> str:
    """Give a piece of HTML as Markdown, at most 100,000 characters; relative links are taken from `base`."""
    return _markdown(_capped(_printable(text), at="<"), base=base)


def from_bbcode(text: str, *, base: str = "") -> str:
    """Give BBCode in Steam's dialect as Markdown, at most 100,000 characters; HTML in it is text."""
    marked = _BBCODE.format(_capped(_MEDIA.sub("", _printable(text)), at="["))
    return _markdown(_capped(marked, at="<"), base=base)


def plain(text: str, *, most: int = 300) -> str:
    """Give HTML or BBCode as one line of plain text, cut at a word so that it has at most `most` characters."""
    spaced = _SEAM.sub(r" \g<0>", _MEDIA.sub("", _printable(text)))
    stripped = _BBCODE.strip(_capped(spaced, at="["))
    line = " ".join(_printable(html.unescape(_only_text(_capped(stripped, at="<")))).split())
    if len(line) <= most:
        return line
    words, _, cut_word = line[:most].rpartition(" ")
    return (words or cut_word[: most - 1]).rstrip(",;:- ") + "…"


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("", text[:_MOST_READ].replace("\r\n", "\n").replace("\r", "\n"))


def _capped(text: str, *, at: str) -> str:
    return at.join(text.split(at, _MOST_TAGS)[:_MOST_TAGS])


def _markdown(unsafe: str, *, base: str) -> str:
    clean = _sanitised(unsafe, base=base)
    if _depth(clean) > _MOST_DEPTH:
        clean = _only_text(unsafe)
    writing = late(_WRITER)
    return _cut(writing.tidy(writing.MarkdownWriter().write(clean.replace("&nbsp;", " "))))


def _sanitised(unsafe: str, *, base: str) -> str:
    clean: str = late(_SANITISER).clean(
        unsafe,
        tags=_KEPT,
        clean_content_tags=_GONE_WITH_CONTENT,
        attributes={"a": {"href"}},
        attribute_filter=lambda _tag, _attribute, link: _absolute(link, base=base),
        link_rel=None,
    )
    return clean


def _only_text(unsafe: str) -> str:
    text: str = late(_SANITISER).clean(unsafe, tags=set(), clean_content_tags=_GONE_WITH_CONTENT)
    return text


def _depth(clean: str) -> int:
    """Give how deep tags are nested in HTML that is well-formed."""
    return max(accumulate(-1 if tag[1] else 1 for tag in _OPENING_OR_CLOSING.finditer(clean)), default=0)


def _absolute(link: str, *, base: str) -> str | None:
    """Give a link as an absolute address that no character in it can end in Markdown, or None if it leads nowhere."""
    named = f"https://{link}" if link.startswith("www.") else link.strip()
    try:
        address = urljoin(base, named)
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return quote(address, safe="%/:=&?~#+!$,;'@")


def _cut(markdown: str) -> str:
    if len(markdown) <= MOST_CHARACTERS:
        return markdown
    start = markdown[:MOST_CHARACTERS]
    paragraphs, _, _ = start.rpartition("\n\n")
    return (paragraphs or start).rstrip()
