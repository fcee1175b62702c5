"""``/api/v1/admin/library/sources``: managing libraries. ``/api/v1/games/{id}/availability``."""

import msgspec

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import GameUnknown
from playdock.domain.libraries.errors import LibraryUnknown
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import base_dir_of, is_managed, rules_of
from playdock.features.libraries.errors import (
    LibraryFilesChanging,
    LibraryInUse,
    RemovalStarted,
    RemovalUnknown,
    TrashNotEmpty,
    UploadsUnfinished,
)
from playdock.features.libraries.schemas import (
    AvailabilityResponse,
    LibraryChanges,
    LibraryCreate,
    LibraryId,
    LibraryRemoval,
    LibraryResponse,
    OptionsResponse,
    RulesResponse,
)
from playdock.features.libraries.service import Libraries, LibraryStatus, Removal
from playdock.kit.clock import timestamp
from playdock.models import Library
from playdock.server.routing import delete, get, patch, post
from playdock.tasks.errors import TaskAlreadyRunning

PATH = "/api/v1/admin/library/sources"
# Enough for all ignore patterns of a library, unless most of them are very long.
MAX_BODY_BYTES = 1024 * 1024


def response_of(row: Library, *, working: bool) -> LibraryResponse:
    return LibraryResponse(
        id=row.id,
        name=row.name,
        backend=BackendKind(row.backend),
        options=OptionsResponse(base_dir=base_dir_of(row), managed=is_managed(row)),
        rules=msgspec.convert(rules_of(row), RulesResponse, from_attributes=True),
        working=working,
    )


def _response(status: LibraryStatus) -> LibraryResponse:
    return response_of(status.library, working=status.working)


@get(PATH, requires=Permission.SOURCES_READ, touches_disk=True)
def list_libraries(actor: Actor, libraries: Libraries) -> list[LibraryResponse]:
    """List libraries, and whether each folder can currently be read."""
    return [_response(each) for each in libraries.list_all(actor)]


@get(
    "/api/v1/games/{game_id:str}/availability",
    requires=Permission.CONTENT_READ,
    raises=[GameUnknown],
    touches_disk=True,
)
def show_availability(game_id: str, actor: Actor, libraries: Libraries) -> AvailabilityResponse:
    """Return whether the library of a game can be read now, without which nothing can be downloaded."""
    return AvailabilityResponse(available=libraries.is_available(actor, game_id))


@post(PATH, requires=Permission.SOURCES_NEW, status=201, touches_disk=True, max_body_bytes=MAX_BODY_BYTES)
def add_library(data: LibraryCreate, actor: Actor, libraries: Libraries) -> LibraryResponse:
    """Add a library. Its folder must exist and be readable."""
    return response_of(libraries.add(actor, data), working=True)


@patch(
    PATH,
    requires=Permission.SOURCES_UPDATE,
    raises=[LibraryUnknown, UploadsUnfinished, LibraryFilesChanging],
    touches_disk=True,
    max_body_bytes=MAX_BODY_BYTES,
)
def change_library(changes: LibraryChanges, actor: Actor, libraries: Libraries) -> LibraryResponse:
    """Rename a library, or change its folder, its layout or its rules."""
    return _response(libraries.change(actor, changes))


@delete(
    PATH, requires=Permission.SOURCES_DELETE, raises=[LibraryUnknown, LibraryInUse, TrashNotEmpty, UploadsUnfinished]
)
def remove_library(data: LibraryId, actor: Actor, libraries: Libraries) -> None:
    """Remove a library from which no games have been imported."""
    libraries.remove(actor, data.id)


@get(f"{PATH}/removals", requires=Permission.SOURCES_READ)
def list_removals(actor: Actor, libraries: Libraries) -> list[LibraryRemoval]:
    """List the libraries that are removed with their games, or are about to be."""
    return [_removal(each) for each in libraries.removals(actor)]


@post(
    f"{PATH}/{{library_id:str}}/removal",
    requires=(Permission.SOURCES_DELETE, Permission.GAME_DELETE),
    status=202,
    raises=[LibraryUnknown, TrashNotEmpty, UploadsUnfinished, TaskAlreadyRunning],
)
def start_removal(library_id: str, actor: Actor, libraries: Libraries) -> LibraryRemoval:
    """Remove a library with its games after five minutes, during which this can be undone. Its files are kept."""
    return _removal(libraries.start_removal(actor, library_id))


@delete(
    f"{PATH}/{{library_id:str}}/removal",
    requires=Permission.SOURCES_DELETE,
    raises=[RemovalUnknown, RemovalStarted],
)
def undo_removal(library_id: str, actor: Actor, libraries: Libraries) -> None:
    """Keep a library that is about to be removed with its games."""
    libraries.undo_removal(actor, library_id)


def _removal(found: Removal) -> LibraryRemoval:
    return LibraryRemoval(library=found.library_id, task_id=found.task_id, starts=timestamp(found.starts))


ROUTES = (
    list_libraries,
    show_availability,
    add_library,
    change_library,
    remove_library,
    list_removals,
    start_removal,
    undo_removal,
)
