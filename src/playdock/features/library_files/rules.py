"""Pure decisions about changes of files: new names, the paths that are moved, and what confirms a deletion."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from playdock.content.archive_names import (
    archive_format,
    has_several_files,
    is_installer,
    is_version_file,
    unpacked_name,
)
from playdock.content.layouts import DEFAULT_VERSION
from playdock.domain.libraries.schemas import BackendKind
from playdock.features.uploads.rules import name_errors
from playdock.kit.errors import FieldError
from playdock.kit.messages import Message
from playdock.stored_file_changes import MovedPath, StoredFileChange

# The service and its neighbors must be able to write while files are copied or unpacked.
RESERVED_BYTES = 1024**3


class ChangeKind(StrEnum):
    """What a change of files does."""

    MOVE_GAME = "move-game"
    RENAME_VERSION = "rename-version"
    MOVE_VERSION = "move-version"
    DELETE_GAME = "delete-game"
    DELETE_VERSION = "delete-version"
    RESTORE_GAME = "restore-game"
    RESTORE_VERSION = "restore-version"
    ERASE = "erase"
    UNPACK = "unpack"
    UNPACK_ELSEWHERE = "unpack-elsewhere"
    DELETE_UNIMPORTED = "delete-unimported"
    RESTORE_PACKED = "restore-packed"


class PlannedChange(Struct, frozen=True):
    """A change that is to be begun."""

    kind: ChangeKind
    game_id: str
    library_id: str
    task_name: Message
    change: StoredFileChange
    # Copying to another disk, and deleting many files, take long.
    takes_long: bool = False


UNPACKING = frozenset({ChangeKind.UNPACK, ChangeKind.UNPACK_ELSEWHERE})
"""The changes that turn archives and installers into folders."""
UNIMPORTED = UNPACKING | {ChangeKind.DELETE_UNIMPORTED}
"""The changes of files that are not imported."""


def packed_among(paths: Sequence[str]) -> str:
    """Return the path of the archive or installer among those of a version's files, or that of its folder."""
    return next((path for path in paths if is_version_file(path.rpartition("/")[2])), paths[0])


def place_of(packed: str) -> tuple[str, tuple[str, ...]]:
    """Return the game that a folder, archive or installer at a path belongs to, and the names of its version.

    An installer that is alone in the folder of a version or game has its name, or is the only version.
    """
    game, _, rest = packed.partition("/")
    if not rest:
        return game, (DEFAULT_VERSION,)
    version = rest.partition("/")[0]
    return game, (version, DEFAULT_VERSION) if is_installer(rest.rpartition("/")[2]) else (version,)


def unpacked_beside(packed: str) -> str:
    """Return the path of the folder that an archive or installer becomes."""
    folder, _, name = packed.rpartition("/")
    return _joined(folder, unpacked_name(name))


def restoration_of(version_id: str | None, version_name: str | None) -> ChangeKind:
    """Return the change that restores something in the trash: a game, a version, or files that were not imported."""
    if version_id is not None:
        return ChangeKind.RESTORE_VERSION
    return ChangeKind.RESTORE_PACKED if version_name is not None else ChangeKind.RESTORE_GAME


def game_name_errors(name: str, *, old: str, backend: BackendKind) -> Iterator[FieldError]:
    """Yield what is wrong with the new name of a game's folder or archive."""
    yield from name_errors("path", name)
    if backend is BackendKind.FILESYSTEM and is_version_file(name):
        yield FieldError("path", Message("upload-game-is-archive"))
    if backend is BackendKind.FLAT_FILESYSTEM and not _is_of_same_kind(old, name):
        yield FieldError("path", Message("files-other-ending"))


def version_name_errors(name: str, *, old: str) -> Iterator[FieldError]:
    """Yield what is wrong with the new name of a version's folder or archive."""
    yield from name_errors("name", name)
    if not _is_of_same_kind(old, name):
        yield FieldError("name", Message("files-other-ending"))


def name_at(path: str, *, before: str) -> str:
    """Return the name of a version whose first file or folder is moved to a path; with several files it is kept."""
    return before if has_several_files(before) else path.rpartition("/")[2]


def renamed(names: Sequence[str], *, folder: str, new_folder: str, new_name: str = "") -> tuple[MovedPath, ...]:
    """Return how files and folders are moved from one folder to another one; only a single one gets a new name."""
    return tuple(MovedPath(_joined(folder, name), _joined(new_folder, new_name or name)) for name in names)


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _is_of_same_kind(old: str, new: str) -> bool:
    return (archive_format(old), is_installer(old)) == (archive_format(new), is_installer(new))


def confirmation_errors(typed: str, *, name: str) -> list[FieldError]:
    """Return an error if the typed name is not that of what is to be deleted."""
    return [] if typed == name else [FieldError("name", Message("files-confirm", name=name))]


def unchanged() -> list[FieldError]:
    """Return the error of a change that changes nothing."""
    return [FieldError("", Message("files-unchanged"))]


def other_layout() -> list[FieldError]:
    """Return the error of a move to a library whose games are laid out differently."""
    return [FieldError("library", Message("files-other-layout"))]


def other_game_errors(*, delta: bool, flat: bool) -> Iterator[FieldError]:
    """Yield why a version, perhaps a delta, cannot be moved to another game, perhaps without folders for versions."""
    if delta:
        yield FieldError("game", Message("files-delta-alone"))
    if flat:
        yield FieldError("game", Message("files-other-game-flat"))


def order_with(ids: Sequence[str], positions: Sequence[int], *, restored: str, position: int) -> list[str]:
    """Return the versions of a game, oldest first, with a restored one where it was."""
    before = sum(1 for each in positions if each < position)
    return [*ids[:before], restored, *ids[before:]]
