"""Pure decisions about the import of a version."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Protocol, TypeVar

from playdock.content.layers import Installation
from playdock.features.version_import.schemas import VersionImportRequest
from playdock.kit.errors import FieldError
from playdock.kit.messages import Message


class LayeredVersion(Protocol):
    """A version and the id of its base."""

    id: str
    base_id: str | None


_Version = TypeVar("_Version", bound=LayeredVersion)


def missing_commands(data: VersionImportRequest) -> list[FieldError]:
    """Return an error for a command that is required but missing."""
    if data.only_setup and not data.setup:
        return [FieldError("setup", Message("setup-required"))]
    if not data.only_setup and not data.delta and not data.launch:
        return [FieldError("launch", Message("launch-required"))]
    return []


def command_path(command: str) -> str:
    """Return the path of a command: ``./start.sh`` is the same as ``start.sh``."""
    return command.removeprefix("./")


def commands(data: VersionImportRequest) -> dict[str, str]:
    """Return the paths of the given commands, by field."""
    named = {"launch": data.launch, "setup": data.setup}
    return {field: command_path(command) for field, command in named.items() if command}


def absent_commands(commands: Collection[str], present: Collection[str]) -> list[Message]:
    """Return a message for each non-empty command that is not a file of the version."""
    return [_absence(path) for path in commands if path and path not in present]


def absences(missing: Mapping[str, str]) -> list[FieldError]:
    """Return an error for each command, by field, that is not a file of the version."""
    return [FieldError(field, _absence(path)) for field, path in missing.items()]


def _absence(path: str) -> Message:
    return Message("no-such-file", path=path)


def paths_of(installation: Installation) -> set[str]:
    files = {file.record.path for file in installation.files}
    return files | {link.path for link in installation.links}


def deltas_above(versions: Iterable[_Version], version_id: str) -> Iterator[_Version]:
    """Yield the deltas above a version, directly or indirectly, each after its base."""
    deltas = [version for version in versions if version.base_id]
    pending = [version_id]
    while pending:
        base = pending.pop()
        for delta in deltas:
            if delta.base_id == base:
                yield delta
                pending.append(delta.id)
