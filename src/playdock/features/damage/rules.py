"""Pure decisions about damage: what kind of problem a version has."""

from collections.abc import Mapping

from playdock.content.damage import FileProblem
from playdock.domain.events.rules import EventType

# The path of damage that concerns all files of a version.
WHOLE_VERSION = ""


def is_whole_version_missing(fault: FileProblem, path: str) -> bool:
    """Return whether a problem is that the folder or archive of a version is gone."""
    return fault is FileProblem.MISSING and path == WHOLE_VERSION


def problem_of(fault: FileProblem, path: str) -> EventType:
    """Return the type of the events about a problem of a file, or of a version as a whole."""
    if fault is FileProblem.ADDED:
        return EventType.FILES_ADDED
    return EventType.VERSION_MISSING if is_whole_version_missing(fault, path) else EventType.VERSION_DAMAGED


def problems_of(faults: Mapping[str, FileProblem]) -> set[EventType]:
    """Return the types of the events about what is wrong with the files of a version, by path."""
    return {problem_of(fault, path) for path, fault in faults.items()}
