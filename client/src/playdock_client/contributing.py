"""Decides what becomes of the games that stores have installed: which are uploaded, and where. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec

from playdock_client.client_folders import folder_name
from playdock_client.responses import FeedGame
from playdock_client.stores.copy_protection import Protection
from playdock_client.stores.examining import ExaminedGame
from playdock_client.stores.found_game import FoundGame
from playdock_client.uploading import ManagedLibrary, UploadPlace, suggested_place

# With the id, fewer than the 255 bytes that names on disks may have.
_MAX_NAME_BYTES = 150
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?", re.ASCII)


class Availability(StrEnum):
    """What can be done with a game."""

    NEW = "new"
    ON_SERVER = "on-server"
    INSTALLED = "installed"
    UNUSABLE = "unusable"


class Offer(msgspec.Struct, frozen=True):
    """A game that was found, and the game of the server that it is, if it has it."""

    local: ExaminedGame
    availability: Availability
    known: FeedGame | None = None
    is_same_id: bool = False

    @property
    def is_selectable(self) -> bool:
        return self.availability in (Availability.NEW, Availability.ON_SERVER)

    @property
    def is_default(self) -> bool:
        """Return whether the game is selected by default: nothing proves that it needs its store."""
        return self.is_selectable and self.local.assessment.protection is not Protection.CERTAIN


def offers_of(found: Iterable[ExaminedGame], games: Sequence[FeedGame], *, installed: Iterable[str]) -> list[Offer]:
    """Return what can be done with games that were found; ``installed`` are the folders of installations."""
    by_id: dict[tuple[str, str], FeedGame] = {}
    for game in games:
        for store, game_id in game.external_ids.items():
            by_id.setdefault((store, game_id), game)
    by_name = {game.name.casefold(): game for game in reversed(games)}
    folders = frozenset(installed)
    return [_offer(each, by_id, by_name, is_installed=str(each.game.folder) in folders) for each in found]


def _offer(
    local: ExaminedGame,
    by_id: Mapping[tuple[str, str], FeedGame],
    by_name: Mapping[str, FeedGame],
    *,
    is_installed: bool,
) -> Offer:
    game = local.game
    if is_installed:
        return Offer(local, Availability.INSTALLED)
    if game.problem or not local.files:
        return Offer(local, Availability.UNUSABLE)
    known = by_id.get((game.store, game.id)) if game.store else None
    if known:
        return Offer(local, Availability.ON_SERVER, known, is_same_id=True)
    known = by_name.get(game.name.casefold())
    return Offer(local, Availability.ON_SERVER if known else Availability.NEW, known)


def selection_of(answer: str, offers: Sequence[Offer]) -> list[Offer] | None:
    """Return the selected games: ``all``, nothing, or numbers such as ``1 3-5``; None if the answer is neither."""
    if answer.strip().lower() == "all":
        return [each for each in offers if each.is_default]
    numbers: set[int] = set()
    for word in answer.replace(",", " ").split():
        found = _RANGE.fullmatch(word)
        if found is None:
            return None
        numbers.update(range(int(found[1]), int(found[2] or found[1]) + 1))
    if not numbers <= set(range(1, len(offers) + 1)):
        return None
    return [each for number, each in enumerate(offers, start=1) if number in numbers and each.is_selectable]


def place_of(game: FoundGame, library: ManagedLibrary) -> UploadPlace:
    """Return where a game belongs in a library. The name of its folder has the id, by which servers recognize it."""
    if not game.id:
        return suggested_place(game.folder, library)
    short = game.name.encode()[:_MAX_NAME_BYTES].decode(errors="ignore")
    name = msgspec.structs.replace(game, name=folder_name(short)).tagged_name
    return UploadPlace(name, "" if library.flat else folder_name(game.version) if game.version else "1.0")
