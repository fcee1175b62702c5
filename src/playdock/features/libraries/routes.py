"""``/api/v1/admin/library/sources`` (decisions 5)."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.libraries.errors import LibraryInUse, LibraryUnknown
from playdock.features.libraries.schemas import (
    BackendKind,
    LibraryAnswer,
    LibraryChanges,
    LibraryDraft,
    LibraryId,
    OptionsAnswer,
)
from playdock.features.libraries.service import Libraries, is_working
from playdock.http.routing import delete, get, patch, post
from playdock.models import Library

PATH = "/api/v1/admin/library/sources"


def described(row: Library, *, working: bool) -> LibraryAnswer:
    return LibraryAnswer(
        id=row.id,
        name=row.name,
        backend=BackendKind(row.backend),
        options=OptionsAnswer(base_dir=row.options["baseDir"]),
        working=working,
    )


@get(PATH, needs=Acl.SOURCES_READ, touches_disk=True)
def list_libraries(actor: Actor, libraries: Libraries) -> list[LibraryAnswer]:
    """List the libraries, and which of them can be read at this moment."""
    return [described(row, working=is_working(row)) for row in libraries.everything(actor)]


@post(PATH, needs=Acl.SOURCES_NEW, status=201, touches_disk=True)
def add_library(draft: LibraryDraft, actor: Actor, libraries: Libraries) -> LibraryAnswer:
    """Add a library; its folder must exist and be readable."""
    return described(libraries.add(actor, draft), working=True)


@patch(PATH, needs=Acl.SOURCES_UPDATE, raises=[LibraryUnknown], touches_disk=True)
def change_library(changes: LibraryChanges, actor: Actor, libraries: Libraries) -> LibraryAnswer:
    """Rename a library, or move it to another folder."""
    row = libraries.change(actor, changes)
    return described(row, working=is_working(row))


@delete(PATH, needs=Acl.SOURCES_DELETE, raises=[LibraryUnknown, LibraryInUse])
def remove_library(which: LibraryId, actor: Actor, libraries: Libraries) -> None:
    """Remove a library that no game was imported from."""
    libraries.remove(actor, which.id)


ROUTES = (list_libraries, add_library, change_library, remove_library)
