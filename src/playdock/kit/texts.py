"""Types of text fields in schemas, and normalization of names for comparison."""

import re
import unicodedata
from typing import Annotated

from msgspec import Meta

# Python and JSON Schema define white space differently. This is the union of both.
SPACE = r"\s\x00-\x1f\x85\ufeff"
# Characters that nobody sees: those with Unicode's property Default_Ignorable_Code_Point that regular expressions of
# JSON Schema can contain.
IGNORABLE = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
)
_IGNORED = re.compile(f"[{IGNORABLE}]")
# They would change the order in which the text after a name is shown.
_DIRECTIONS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
VISIBLE = f"[^{SPACE}{IGNORABLE}]"

Name = Annotated[
    str,
    Meta(
        pattern=VISIBLE,
        max_length=256,
        description="A name has 1 to 256 characters, not only spaces.",
    ),
]


def one_line(name: str) -> str:
    """Return a name with each sequence of white space replaced by one space, and without directions of text."""
    return " ".join(_DIRECTIONS.sub("", name).split())


def normalize(text: str) -> str:
    """Return the normalized form of a name for comparison, without case and invisible characters, with single spaces.

    Punctuation and accents are kept, so that names that are merely similar remain different.
    """
    text = _IGNORED.sub("", text)
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def without_accents(text: str) -> str:
    """Return a text in lower case without accents."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(char for char in folded if not unicodedata.combining(char))


def has_words(text: str, typed: str) -> bool:
    """Return whether a text contains each typed word, in any order, ignoring case and accents. Pages do the same."""
    within = without_accents(text)
    return all(word in within for word in without_accents(typed).split())
