"""``/api/v1/client/saves``: saved games of Drop's clients."""

from functools import partial
from sys import maxsize

from playdock.auth.actor import Actor
from playdock.features.drop_bridge.saves import DropSaves
from playdock.features.drop_bridge.schemas import DropSaveSettings, DropSaveSlot
from playdock.features.saved_games.routes import receive_save
from playdock.features.saved_games.service import SavedGames
from playdock.server.object_threads import ObjectThreads
from playdock.server.routing import AnyRequest, Caller, delete, get, post

_PATH = "/api/v1/client/saves"
_GAME = f"{_PATH}/{{game_id:str}}"
_SLOT = f"{_GAME}/{{index:str}}"


@get(f"{_PATH}/settings", requires=Caller.DEVICE)
def show_save_settings(actor: Actor, saves: DropSaves) -> DropSaveSettings:
    """Return the limits of saves."""
    return saves.settings(actor)


@get(_PATH, requires=Caller.DEVICE)
def list_all_slots(actor: Actor, saves: DropSaves) -> list[DropSaveSlot]:
    """Return all slots of the user."""
    return saves.list_all(actor)


@get(_GAME, requires=Caller.DEVICE)
def list_slots(game_id: str, actor: Actor, saves: DropSaves) -> list[DropSaveSlot]:
    """Return the slots for a game."""
    return saves.of_game(actor, game_id)


@post(_GAME, requires=Caller.DEVICE)
def create_slot(game_id: str, actor: Actor, saves: DropSaves) -> DropSaveSlot:
    """Add a slot for a game."""
    return saves.create(actor, game_id)


@get(_SLOT, requires=Caller.DEVICE)
def show_slot(game_id: str, index: str, actor: Actor, saves: DropSaves) -> DropSaveSlot:
    """Return a slot."""
    return saves.show(actor, game_id, index)


@delete(_SLOT, requires=Caller.DEVICE)
def delete_slot(game_id: str, index: str, actor: Actor, saves: DropSaves) -> None:
    """Delete a slot."""
    saves.delete(actor, game_id, index)


@post(f"{_SLOT}/push", requires=Caller.DEVICE, status=204, max_body_bytes=maxsize)
async def push_save(
    request: AnyRequest,
    game_id: str,
    index: str,
    actor: Actor,
    saves: DropSaves,
    *,
    saved_games: SavedGames,
    threads: ObjectThreads,
) -> None:
    """Add a save to a slot. The body is its content."""
    to = await threads.run(partial(saves.destination, actor, game_id, index))
    await receive_save(request, actor, to, saved_games, threads)


SAVE_ROUTES = (show_save_settings, list_all_slots, list_slots, create_slot, show_slot, delete_slot, push_save)
