"""``/api/v1/admin/game`` and ``/api/v1/admin/version``: showing and changing games and versions."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.artwork.schemas import PictureResponse
from playdock.domain.games.errors import GameUnknown, VersionUnknown
from playdock.domain.games.schemas import VersionResponse
from playdock.domain.installations.errors import LayerMissing
from playdock.features.editing.errors import PictureUnknown, VersionIsBase, VersionReimported
from playdock.features.editing.schemas import (
    GameChanges,
    GameDetails,
    GamePictureId,
    PicturesForm,
    RefreshRequest,
    VersionChanges,
)
from playdock.features.editing.service import Editing
from playdock.features.game_import.errors import MetadataAlreadyUsed
from playdock.features.game_import.schemas import TaskStarted
from playdock.server.routing import delete, get, patch, post
from playdock.tasks.errors import TaskAlreadyRunning

# A description has up to 100,000 characters, each up to 12 bytes in JSON (two \uXXXX escapes), plus other fields.
_MAX_CHANGES_BYTES = 2 * 1024 * 1024


@get("/api/v1/admin/game/{game_id:str}", requires=Permission.GAME_READ, raises=[GameUnknown])
def show_game_details(game_id: str, actor: Actor, editing: Editing) -> GameDetails:
    """Return a game with all metadata, pictures and versions."""
    return GameDetails.with_versions(*editing.show(actor, game_id))


@patch(
    "/api/v1/admin/game/{game_id:str}",
    requires=Permission.GAME_UPDATE,
    raises=[GameUnknown],
    max_body_bytes=_MAX_CHANGES_BYTES,
)
def change_game(game_id: str, changes: GameChanges, actor: Actor, editing: Editing) -> GameDetails:
    """Change a game's metadata, or the order of its versions. Omitted fields are unchanged."""
    return GameDetails.with_versions(*editing.change(actor, game_id, changes))


@delete("/api/v1/admin/game/{game_id:str}", requires=Permission.GAME_DELETE, raises=[GameUnknown])
def delete_game(game_id: str, actor: Actor, editing: Editing) -> None:
    """Delete a game with its versions and pictures. Its folder is kept and can be imported again."""
    editing.delete(actor, game_id)


@post(
    "/api/v1/admin/game/{game_id:str}/refresh",
    requires=Permission.GAME_UPDATE,
    status=202,
    raises=[GameUnknown, MetadataAlreadyUsed, TaskAlreadyRunning],
)
def refresh_game(game_id: str, data: RefreshRequest, actor: Actor, editing: Editing) -> TaskStarted:
    """Start fetching a game's metadata again. Manually edited fields are kept unless listed in `overwrite`."""
    return TaskStarted(task_id=editing.refresh(actor, game_id, data))


@post(
    "/api/v1/admin/game/image",
    requires=Permission.IMAGE_NEW,
    status=201,
    raises=[GameUnknown],
    processes_images=True,
)
def add_pictures(form: PicturesForm, actor: Actor, editing: Editing) -> list[PictureResponse]:
    """Upload pictures for a game. If one of them is rejected, none is added."""
    return [PictureResponse.of(row) for row in editing.add_pictures(actor, form)]


@delete("/api/v1/admin/game/image", requires=Permission.IMAGE_DELETE, raises=[GameUnknown, PictureUnknown])
def remove_picture(picture: GamePictureId, actor: Actor, editing: Editing) -> None:
    """Delete a picture of a game."""
    editing.remove_picture(actor, picture)


@patch(
    "/api/v1/admin/version/{version_id:str}",
    requires=Permission.VERSION_UPDATE,
    raises=[VersionUnknown, VersionReimported, LayerMissing],
)
def change_version(version_id: str, changes: VersionChanges, actor: Actor, editing: Editing) -> VersionResponse:
    """Change the commands that launch and set up a version. Omitted fields are unchanged."""
    return VersionResponse.of(editing.change_version(actor, version_id, changes))


@delete(
    "/api/v1/admin/version/{version_id:str}",
    requires=Permission.VERSION_DELETE,
    raises=[VersionUnknown, VersionIsBase, TaskAlreadyRunning],
)
def delete_version(version_id: str, actor: Actor, editing: Editing) -> None:
    """Delete a version. Its folder is kept and can be imported again."""
    editing.delete_version(actor, version_id)


ROUTES = (
    show_game_details,
    change_game,
    delete_game,
    refresh_game,
    add_pictures,
    remove_picture,
    change_version,
    delete_version,
)
