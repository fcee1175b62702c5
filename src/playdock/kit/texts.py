"""Texts that callers send, as schemas describe them."""

from typing import Annotated

from msgspec import Meta

# What counts as white space differs between Python and JSON Schema: this is what either takes for it.
SPACE = r"\s\x00-\x1f\x85\ufeff"

Name = Annotated[
    str, Meta(pattern=rf"[^{SPACE}]", max_length=256, description="A name has 1 to 256 characters, not only blanks.")
]


def one_line(name: str) -> str:
    """Give a name on one line: whatever blanks it has between words become one each."""
    return " ".join(name.split())
