"""Types of text fields in schemas, and normalization of names for comparison."""

import unicodedata
from typing import Annotated

from msgspec import Meta

# Python and JSON Schema define white space differently. This is the union of both.
SPACE = r"\s\x00-\x1f\x85\ufeff"

Name = Annotated[
    str, Meta(pattern=rf"[^{SPACE}]", max_length=256, description="A name has 1 to 256 characters, not only spaces.")
]


def one_line(name: str) -> str:
    """Return a name with each sequence of white space replaced by one space."""
    return " ".join(name.split())


def normalize(text: str) -> str:
    """Return the normalized form of a name for comparison, without case and with single spaces.

    Punctuation and accents are kept, so that names that are merely similar remain different.
    """
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def searchable(text: str) -> str:
    """Return a text as it is searched: lower case without accents, with single spaces. Pages do the same."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return " ".join("".join(char for char in decomposed if not unicodedata.combining(char)).split())


def has_words(text: str, typed: str) -> bool:
    """Return whether a text contains each typed word, in any order, ignoring case and accents."""
    within = searchable(text)
    return all(word in within for word in searchable(typed).split())
