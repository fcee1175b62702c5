"""Conversion of sanitised HTML to Markdown in which text never becomes markup."""

import re
from typing import Any
from urllib.parse import urlsplit

from markdownify import MarkdownConverter

_ALWAYS_MARKUP = re.compile(r"[\\`*_\[\]<|~]|&(?=#?\w+;)")
_MARKUP_AT_THE_START = re.compile(r"^( *)(?=>|[-+](?:\s|$)|#{1,6}(?:\s|$)|[-=]+\s*$)")
_BLANK_LINES = re.compile(r" {0,3}\n{2,}")
_NUMBER_AT_THE_START = re.compile(r"^( *\d{1,9})(?=[.)](?:\s|$))")


def tidy(markdown: str) -> str:
    """Return Markdown with at most one blank line between blocks, and none at its beginning and end."""
    lines = "\n".join(line if line.strip() else "" for line in markdown.split("\n"))
    return _BLANK_LINES.sub("\n\n", lines).strip()


class MarkdownWriter(MarkdownConverter):
    """Converts HTML whose links are safe and whose depth is limited; `el` is the parsed element.

    Text is escaped, links stay on one line, and inline code contains no newlines and no backticks, because anything
    that ends such a span early would turn its text into markup.
    """

    def __init__(self) -> None:
        super().__init__(autolinks=False, heading_style="atx", table_infer_header=True, wrap=True, wrap_width=None)

    def write(self, clean: str) -> str:
        # The enclosing tag keeps the parser from warning that the text looks like a file name. An exclamation mark
        # before a link would make it an image.
        return self.convert(f"<div>{clean}</div>").replace("![", r"\![")

    def escape(self, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        escaped = _MARKUP_AT_THE_START.sub(r"\1\\", _ALWAYS_MARKUP.sub(r"\\\g<0>", text))
        return _NUMBER_AT_THE_START.sub(r"\1\\", escaped)

    def convert_a(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Return a link; one without text, such as around an image, is labelled with its host."""
        address = el.get("href")
        if not address or "_noformat" in parent_tags:
            return text
        words = " ".join(text.split()) or self.escape(urlsplit(address).hostname or "", parent_tags)
        before, after = (" " if edge.isspace() else "" for edge in (text[:1], text[-1:]))
        return f"{before}[{words}]({address}){after}"

    def convert_blockquote(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        lines = tidy(text).split("\n")
        if "_inline" in parent_tags:
            return f" {' '.join(lines)} "
        quoted = "\n".join(f"> {line}" if line else ">" for line in lines)
        return f"\n\n{quoted}\n\n" if any(lines) else ""

    def convert_code(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        if "_noformat" in parent_tags:
            return text
        if not parent_tags.isdisjoint({"td", "th"}):
            # A vertical bar ends a table cell even inside code.
            return self.escape(" ".join(text.split()), parent_tags)
        lines = (line.replace("`", "'").rstrip() for line in text.split("\n"))
        return "  \n".join(f"`{line}`" for line in lines if line)

    def convert_pre(self, el: Any, text: str, parent_tags: set[str]) -> str:
        return f"\n\n{self.convert_code(el, text, parent_tags)}\n\n"

    def convert_li(self, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        marker = f"{_next_number(el.parent)}. " if el.parent.name == "ol" else "- "
        first, *others = text.strip().split("\n")
        indented = (" " * len(marker) + line if line else "" for line in others)
        return "\n".join([marker + first, *indented]) + "\n"

    def convert_hN(self, n: int, el: Any, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002, N802
        words = " ".join(text.split())
        if "_inline" in parent_tags:
            return f" {words} "
        return f"\n\n{'#' * n} {words}\n\n" if words else ""


def _next_number(ordered_list: Any) -> int:
    """Return an item's number, counted in the list itself; counting the previous items would take quadratic time."""
    number = int(ordered_list.get("start", 0)) + 1
    ordered_list["start"] = number
    return number
