"""What the JSON column of events contains about libraries, as in `stored`."""

from playdock.stored import EventData, StoredMessage


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
