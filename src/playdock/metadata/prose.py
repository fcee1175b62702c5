"""Conversion of descriptions in HTML or BBCode to Markdown or to one line of plain text.

Descriptions are untrusted. The result contains no raw HTML, no images (they would load from other hosts) and only
absolute http(s) links; text that looks like markup is escaped. The input is limited in characters, tags and depth,
because the parsers take quadratic time over unclosed tags: the worst input takes about a second, and input that is
nested too deeply becomes plain text.
"""

import html
import re
from itertools import accumulate
from urllib.parse import quote, urljoin, urlsplit

from playdock.metadata.steam_markup import steam_markup

# Descriptions are stored with the game and sent with its page.
MAX_CHARACTERS = 100_000
# Twice as many, because part of the input is markup.
_MAX_READ_CHARACTERS = 200_000
# With these two the worst input takes about a second; see the module's docstring.
_MAX_TAGS = 10_000
_MAX_DEPTH = 20

_BLOCKS = {"p", "br", "hr", "div", "blockquote", "pre", "ul", "ol", "li", "table", "tr", "th", "td"}
_HEADINGS = {f"h{level}" for level in range(1, 7)}
_ALLOWED_TAGS = _BLOCKS | _HEADINGS | {"a", "b", "strong", "i", "em", "s", "del", "code"}
_REMOVED_WITH_CONTENT = {"script", "style", "iframe", "noscript", "object", "svg", "math", "video", "audio", "title"}

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_BLANK_LINES = re.compile(r"\n{3,}")
_WHOLE_WORDS = re.compile(r"(.+)\s", re.DOTALL)
_OPENING_OR_CLOSING = re.compile(r"<(/?)(?!br>|hr>)\w")
_SEAM = re.compile(rf"(?i)[<\[](?=/?(?:{'|'.join(sorted(_BLOCKS | _HEADINGS))}|list|olist|quote|code|\*)[\]>\s/=])")
_MEDIA = re.compile(r"(?i)\[(img|video|previewyoutube)\b[^\[\]\n]*\](?:[^\[]*\[/\1\])?")

_BBCODE = steam_markup(max_depth=_MAX_DEPTH)


def from_html(text: str, *, base: str = "") -> str:
    """Return HTML as Markdown of at most 100,000 characters; relative links are resolved against ``base``."""
    return _markdown(_capped(_printable(text), at="<"), base=base)


def from_bbcode(text: str, *, base: str = "") -> str:
    """Return Steam's BBCode as Markdown of at most 100,000 characters; HTML in it is treated as text."""
    marked = _BBCODE.format(_capped(_MEDIA.sub("", _printable(text)), at="["))
    return _markdown(_capped(marked, at="<"), base=base)


def plain(text: str, *, max_characters: int = 300) -> str:
    """Return HTML or BBCode as one line of plain text, cut between words to at most ``max_characters``."""
    return _shortened(" ".join(_text_of(text).split()), max_characters=max_characters)


def plain_lines(text: str, *, max_characters: int = 300) -> str:
    """Return plain text with its line breaks, at most one blank line between paragraphs, and cut as by `plain`."""
    lines = "\n".join(" ".join(line.split()) for line in _text_of(text).split("\n"))
    return _shortened(_BLANK_LINES.sub("\n\n", lines.strip()), max_characters=max_characters)


def _text_of(markup: str) -> str:
    spaced = _SEAM.sub(r" \g<0>", _MEDIA.sub("", _printable(markup)))
    stripped = _BBCODE.strip(_capped(spaced, at="["))
    return _printable(html.unescape(_only_text(_capped(stripped, at="<"))))


def _shortened(text: str, *, max_characters: int) -> str:
    if len(text) <= max_characters:
        return text
    whole_words = _WHOLE_WORDS.match(text[:max_characters])
    start = whole_words[1] if whole_words else text[: max_characters - 1]
    return start.rstrip(",;:- \n") + "…"


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("", text[:_MAX_READ_CHARACTERS].replace("\r\n", "\n").replace("\r", "\n"))


def _capped(text: str, *, at: str) -> str:
    return at.join(text.split(at, _MAX_TAGS)[:_MAX_TAGS])


def _markdown(unsafe: str, *, base: str) -> str:
    from playdock.metadata import markdown

    clean = _sanitised(unsafe, base=base)
    if _depth(clean) > _MAX_DEPTH:
        clean = _only_text(unsafe)
    return _cut(markdown.tidy(markdown.MarkdownWriter().write(clean.replace("&nbsp;", " "))))


def _sanitised(unsafe: str, *, base: str) -> str:
    import nh3

    return nh3.clean(
        unsafe,
        tags=_ALLOWED_TAGS,
        clean_content_tags=_REMOVED_WITH_CONTENT,
        attributes={"a": {"href"}},
        attribute_filter=lambda _tag, _attribute, link: _absolute(link, base=base),
        link_rel=None,
    )


def _only_text(unsafe: str) -> str:
    import nh3

    return nh3.clean(unsafe, tags=set(), clean_content_tags=_REMOVED_WITH_CONTENT)


def _depth(clean: str) -> int:
    """Return the nesting depth of well-formed HTML."""
    return max(accumulate(-1 if tag[1] else 1 for tag in _OPENING_OR_CLOSING.finditer(clean)), default=0)


def _absolute(link: str, *, base: str) -> str | None:
    """Return a link as an absolute URL without characters that end a Markdown link, or None if it is not http(s)."""
    full = f"https://{link}" if link.startswith("www.") else link.strip()
    try:
        address = urljoin(base, full)
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return quote(address, safe="%/:=&?~#+!$,;'@")


def _cut(markdown: str) -> str:
    if len(markdown) <= MAX_CHARACTERS:
        return markdown
    start = markdown[:MAX_CHARACTERS]
    paragraphs, _, _ = start.rpartition("\n\n")
    return (paragraphs or start).rstrip()
