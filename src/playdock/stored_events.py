"""What the JSON column of events contains, as in `stored`, and messages that are stored as JSON."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from playdock.kit.messages import Message, code_of, parameters_of
from playdock.stored import Stored


class StoredMessage(Stored, frozen=True):
    """A `Message`."""

    text: str
    code: str | None = None
    parameters: Mapping[str, Any] = {}


class EventData(Stored, frozen=True):
    """The base of what ``events.data`` contains."""


class VersionEvent(EventData, frozen=True):
    """The data of ``game.added``, ``version.added``, ``version.damaged``, ``version.missing`` and ``files.added``."""

    game: str
    game_name: str
    version: str
    version_name: str
    platform: str
    label: Annotated[str, msgspec.Meta(description="What people see instead of the name.")] = ""


class TaskEvent(EventData, frozen=True):
    """The data of ``task.failed`` and ``task.waiting``: the task's id, type and name, and why it failed or waits."""

    task: str
    task_type: str
    name: StoredMessage
    reason: StoredMessage


class SpaceEvent(EventData, frozen=True):
    """The data of ``disk.low``: what the check of the data folder found."""

    reason: StoredMessage


class FoldersEvent(EventData, frozen=True):
    """The data of ``folders.found``: how many new folders a library has, and the names of the first ones."""

    library: str
    library_name: str
    count: int
    folders: tuple[str, ...]


class ArticleEvent(EventData, frozen=True):
    """The data of ``news.published``: the article, and the game that it concerns, if any."""

    article: str
    title: str
    game: str | None = None


class RequestEvent(EventData, frozen=True):
    """The data of ``request.added``, ``request.answered`` and ``request.done``; ``game`` fulfills the request."""

    request: str
    name: str
    status: str
    comment: str = ""
    game: str | None = None


class NewVersionEvent(EventData, frozen=True):
    """The data of ``version.found`` and ``version.imported``: a new version, and the folder of its game."""

    library: str
    library_name: str
    folder: str
    version_name: str


class LibraryEvent(EventData, frozen=True):
    """The data of ``library.unavailable``: the library that cannot be read, and why."""

    library: str
    library_name: str
    reason: StoredMessage


def stored_message(message: Message) -> StoredMessage:
    """Return a message as it is stored."""
    return StoredMessage(text=str(message), code=code_of(message), parameters=parameters_of(message))
