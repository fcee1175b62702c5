"""``/api/v1/admin/game`` and ``/api/v1/admin/version``: games as administrators see and change them."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.artwork.schemas import PictureAnswer
from playdock.features.editing.errors import PictureUnknown, VersionLayeredOver, VersionRenewed
from playdock.features.editing.schemas import (
    GameChanges,
    GameDetails,
    GamePictureId,
    PicturesForm,
    RefreshDraft,
    VersionChanges,
)
from playdock.features.editing.service import Editing
from playdock.features.game_import.errors import MetadataAlreadyUsed
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.games.errors import GameUnknown, VersionUnknown
from playdock.features.games.schemas import VersionAnswer
from playdock.features.installations.errors import LayerLost
from playdock.http.routing import delete, get, patch, post
from playdock.jobs.errors import TaskAlreadyRunning

# A description of 100,000 characters, each written as two escapes in JSON, and all the rest.
_MOST_BYTES_OF_CHANGES = 2 * 1024 * 1024


@get("/api/v1/admin/game/{game_id:str}", needs=Acl.GAME_READ, raises=[GameUnknown])
def show_game_details(game_id: str, actor: Actor, editing: Editing) -> GameDetails:
    """Show everything about a game."""
    return GameDetails.with_versions(*editing.show(actor, game_id))


@patch(
    "/api/v1/admin/game/{game_id:str}",
    needs=Acl.GAME_UPDATE,
    raises=[GameUnknown],
    most_bytes=_MOST_BYTES_OF_CHANGES,
)
def change_game(game_id: str, changes: GameChanges, actor: Actor, editing: Editing) -> GameDetails:
    """Change what is told of a game, or the order of its versions; what is left out stays."""
    return GameDetails.with_versions(*editing.change(actor, game_id, changes))


@delete("/api/v1/admin/game/{game_id:str}", needs=Acl.GAME_DELETE, raises=[GameUnknown])
def delete_game(game_id: str, actor: Actor, editing: Editing) -> None:
    """Delete a game with its versions and pictures; its folder stays and can be imported again."""
    editing.delete(actor, game_id)


@post(
    "/api/v1/admin/game/{game_id:str}/refresh",
    needs=Acl.GAME_UPDATE,
    status=202,
    raises=[GameUnknown, MetadataAlreadyUsed, TaskAlreadyRunning],
)
def refresh_game(game_id: str, draft: RefreshDraft, actor: Actor, editing: Editing) -> TaskStarted:
    """Ask a provider about a game again, and take what is not an administrator's own edit."""
    return TaskStarted(task_id=editing.refresh(actor, game_id, draft))


@post("/api/v1/admin/game/image", needs=Acl.IMAGE_NEW, status=201, raises=[GameUnknown])
def add_pictures(form: PicturesForm, actor: Actor, editing: Editing) -> list[PictureAnswer]:
    """Add pictures to a game, all or none of them."""
    return [PictureAnswer.of(row) for row in editing.add_pictures(actor, form)]


@delete("/api/v1/admin/game/image", needs=Acl.IMAGE_DELETE, raises=[GameUnknown, PictureUnknown])
def remove_picture(picture: GamePictureId, actor: Actor, editing: Editing) -> None:
    """Delete a picture of a game."""
    editing.remove_picture(actor, picture)


@patch(
    "/api/v1/admin/version/{version_id:str}",
    needs=Acl.VERSION_UPDATE,
    raises=[VersionUnknown, VersionRenewed, LayerLost],
)
def change_version(version_id: str, changes: VersionChanges, actor: Actor, editing: Editing) -> VersionAnswer:
    """Change how a version is started and set up; what is left out stays."""
    return VersionAnswer.of(editing.change_version(actor, version_id, changes))


@delete(
    "/api/v1/admin/version/{version_id:str}",
    needs=Acl.VERSION_DELETE,
    raises=[VersionUnknown, VersionLayeredOver, TaskAlreadyRunning],
)
def delete_version(version_id: str, actor: Actor, editing: Editing) -> None:
    """Delete a version; its folder stays and can be imported again."""
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
