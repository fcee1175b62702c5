"""``/api/v1/admin/import/automatic``: what the rules of libraries have imported."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.editing.errors import VersionIsBase
from playdock.features.library_scans.errors import AutomaticImportUndone, AutomaticImportUnknown
from playdock.features.library_scans.schemas import AutomaticImportResponse
from playdock.features.library_scans.service import AutomaticImport, LibraryScans
from playdock.kit.clock import timestamp
from playdock.server.routing import delete, get
from playdock.tasks.errors import TaskAlreadyRunning

PATH = "/api/v1/admin/import/automatic"


@get(PATH, requires=Permission.IMPORT_VERSION)
def list_automatic_imports(actor: Actor, library_scans: LibraryScans) -> list[AutomaticImportResponse]:
    """List the newest versions that were imported because of rules; games are listed as runs."""
    return [_response(each) for each in library_scans.imported(actor)]


def _response(imported: AutomaticImport) -> AutomaticImportResponse:
    found, game = imported.found, imported.game
    return AutomaticImportResponse(
        id=found.id,
        library=found.library_id,
        library_name=imported.library.name,
        folder=found.path,
        version=found.version,
        game_id=game.id if game else None,
        game_name=game.name if game else None,
        task_id=found.task_id,
        started=timestamp(found.decided or found.seen),
        undone=timestamp(found.undone) if found.undone else None,
    )


@delete(
    f"{PATH}/{{import_id:str}}",
    requires=Permission.VERSION_DELETE,
    raises=[AutomaticImportUnknown, AutomaticImportUndone, VersionIsBase, TaskAlreadyRunning],
)
def undo_automatic_import(import_id: str, actor: Actor, library_scans: LibraryScans) -> None:
    """Delete a version that was imported because of a rule, or cancel its import. It is not imported so again."""
    library_scans.undo(actor, import_id)


ROUTES = (list_automatic_imports, undo_automatic_import)
