"""Pure decisions about unpacking."""

from collections.abc import Iterator, Sequence

from playdock.domain.libraries.schemas import BackendKind
from playdock.features.library_files.rules import renamed, unpacked_beside
from playdock.kit.errors import FieldError
from playdock.kit.messages import Message
from playdock.stored_file_changes import MovedPath


def moves(names: Sequence[str], path: str, *, trash: str, unpacked: str) -> tuple[MovedPath, ...]:
    """Return what is moved when a version at a path, which has these files, has been unpacked.

    The folder is last: as long as it is not moved, its place belongs to others.
    """
    away = renamed(names, folder=path.rpartition("/")[0], new_folder=trash)
    return (*away, MovedPath(unpacked, unpacked_beside(path)))


def target_errors(source: BackendKind, target: BackendKind) -> Iterator[FieldError]:
    """Yield why what is unpacked cannot be put into another library: its games are laid out differently."""
    if source is not target:
        yield FieldError("target", Message("files-other-layout"))
