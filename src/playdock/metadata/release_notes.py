"""What publishers write about new versions of a game at a provider."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from msgspec import Struct

from playdock.fetching.requests import Deadline


class ReleaseNotes(Struct, frozen=True):
    """An announcement of the publisher: its text is Markdown, ``address`` its page, or empty."""

    title: str
    text: str
    address: str
    published: datetime
    is_patch: bool = False


@runtime_checkable
class OffersReleaseNotes(Protocol):
    """A provider that has what publishers write about new versions."""

    def release_notes(self, game_id: str, *, within: Deadline) -> Sequence[ReleaseNotes]:
        """Return the newest announcements for a game, newest first. Raises ProviderError if that fails."""
        ...
