"""A reader of wikitext, the markup of MediaWiki, for the first section of a game's page.

Anyone can edit pages, so the text is untrusted and every expression here runs in linear time.
"""

import html
import re
from urllib.parse import quote

# Bounds the time that the expressions below take on a page.
_MAX_READ_CHARACTERS = 60_000

_TEMPLATE = re.compile(r"\{\{(?!\s*infobox game)[^{}]*\}\}", re.IGNORECASE)
# Templates are removed from the inside out, one level per pass; this bounds the number of passes.
_MAX_NESTED = 5
_REFERENCE = re.compile(r"<ref\b[^<>]*/>|<ref\b[^<>]*>[^<]*</ref>", re.IGNORECASE)
_ROW = re.compile(r"\{\{[ \t]*infobox game/row/([a-z /\t]+)\|([^{}]*)\}\}", re.IGNORECASE)
_INTRODUCTION = re.compile(r"\{\{[ ]?introduction\s{0,9}\|[ \t]*introduction[ \t]*=", re.IGNORECASE)
_NEXT_PARAMETER = re.compile(r"^(?:\}\}|\|[a-z \t]+=)", re.MULTILINE)
_EMPHASIS = re.compile(r"'{2,5}")
_PAGE_LINK = re.compile(r"\[\[([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")
_WEB_LINK = re.compile(r"\[(https?://[^\s\[\]]+)(?:[ \t]([^\[\]\n]*))?\]")
_BLANK_LINES = re.compile(r"\n[ \t]*\n")
_NO_TEXT = ("file:", "image:", "category:")


def bare(text: str) -> str:
    """Return the text of a page without comments, references and templates other than the infobox."""
    first, *others = text[:_MAX_READ_CHARACTERS].split("<!--")
    stripped = _REFERENCE.sub("", first + "".join(other.partition("-->")[2] for other in others))
    for _ in range(_MAX_NESTED):
        stripped = _TEMPLATE.sub("", stripped)
    return stripped


def parameter(text: str, name: str) -> str:
    """Return the value of `|name = value`, which ends at the end of its line; empty if there is none."""
    match = re.search(rf"^\|[ \t]*{re.escape(name)}[ \t]*=([^\n]*)$", text, re.IGNORECASE | re.MULTILINE)
    return match[1].strip() if match else ""


def rows(text: str, name: str) -> list[list[str]]:
    """Return the unnamed parameters of each `{{Infobox game/row/name|…}}`."""
    return [
        [part.strip() for part in _PAGE_LINK.sub(_label, row[2]).split("|") if "=" not in part]
        for row in _ROW.finditer(text)
        if " ".join(row[1].split()).lower() == name
    ]


def introduction(text: str) -> str:
    """Return the value of the parameter `introduction` of the template of that name."""
    begin = _INTRODUCTION.search(text[:_MAX_READ_CHARACTERS])
    if begin is None:
        return ""
    rest = text[begin.end() : _MAX_READ_CHARACTERS]
    end = _NEXT_PARAMETER.search(rest)
    return bare(rest[: end.start()] if end else rest)


def as_html(text: str) -> str:
    """Return wikitext from `bare` as unsanitised HTML, in which links to pages begin with ``/wiki/``."""
    linked = _WEB_LINK.sub(_web_link, _PAGE_LINK.sub(_page_link, _EMPHASIS.sub("", text)))
    return "".join(f"<p>{paragraph}</p>" for paragraph in _BLANK_LINES.split(linked) if paragraph.strip())


def _label(link: re.Match[str]) -> str:
    return link[2] or link[1]


def _page_link(link: re.Match[str]) -> str:
    page = link[1].strip()
    if page.lower().startswith(_NO_TEXT):
        return ""
    return f'<a href="/wiki/{quote(page.replace(" ", "_"), safe="/:")}">{link[2] or page}</a>'


def _web_link(link: re.Match[str]) -> str:
    label = (link[2] or "").strip()
    return f'<a href="{html.escape(link[1])}">{label}</a>' if label else ""
