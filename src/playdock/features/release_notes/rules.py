"""Pure decisions about release notes: which announcement is about a version."""

import re
from collections.abc import Sequence

from playdock.features.news.schemas import MAX_CONTENT
from playdock.metadata.release_notes import ReleaseNotes

# A number without a point, such as that of a year or a sequel, says nothing about a version, unless it is of a build.
_NUMBERS = (
    re.compile(r"(?<![^\W_])(?<!\.)v?(\d+(?:\.\d+)+[a-z]?)(?![^\W_])", re.IGNORECASE),
    re.compile(r"(?<![^\W_])build[ ._-]?(\d{3,})(?![^\W_])", re.IGNORECASE),
)


def number_of(*names: str) -> str | None:
    """Return the number of a version in the first of its names that has one, such as `1.5.78`; None without."""
    found = (number.search(name) for name in names for number in _NUMBERS)
    return next((match[1] for match in found if match), None)


def about(number: str, announcements: Sequence[ReleaseNotes]) -> ReleaseNotes | None:
    """Return the announcement with a version's number in its title; of several, the first patch notes."""
    # 1.4 is also 1.4.0, but not 1.4.1 or 11.4.
    whole = re.compile(rf"(?<![\d.]){re.escape(number)}(?:\.0)*(?![\w]|\.\d)", re.IGNORECASE)
    found = [each for each in announcements if whole.search(each.title)]
    return min(found, key=lambda each: (not each.is_patch, each.published), default=None)


def content_of(notes: ReleaseNotes, *, provider: str) -> str:
    """Return the content of the article: the text, and a link to where it is from."""
    source = f"[{provider}]({notes.address})" if notes.address else provider
    text, room = notes.text, MAX_CONTENT - len(source) - 2
    if len(text) > room:
        text = text[:room].rpartition("\n\n")[0] or text[:room]
    return f"{text}\n\n{source}" if text else source
