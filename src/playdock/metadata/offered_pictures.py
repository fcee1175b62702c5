"""The pictures that all providers offer for a game, for an administrator to choose from."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial

import structlog
from msgspec import Struct, field

from playdock.fetching.requests import Deadline
from playdock.kit.messages import Message
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import GameMetadata, ImageOffer
from playdock.metadata.providers import Capability, MetadataProvider, Providers
from playdock.metadata.ranking import similarity

_log = structlog.get_logger()

# An administrator waits for it; a provider without the game's id takes two requests, SteamGridDB takes five.
_SECONDS = 15.0
# Providers meet the deadline themselves; this leaves time to return their results.
_GRACE_SECONDS = 0.5


class OfferedPicture(Struct, frozen=True):
    """A picture, and the provider that offers it."""

    provider: MetadataProvider
    picture: ImageOffer


class OfferedPictures(Struct, frozen=True):
    """What providers offer, in their order, and why others failed, by their display name."""

    offers: Sequence[OfferedPicture]
    errors: Mapping[str, Message] = field(default_factory=dict)


def offered_pictures(providers: Providers, game: GameMetadata, *, seconds: float = _SECONDS) -> OfferedPictures:
    """Ask all providers concurrently for their pictures of a game, and return those that arrive in time.

    A provider whose id of the game is unknown is searched for a game of the same name.
    """
    asked = [provider for provider in providers.all if provider.capabilities]
    if not asked:
        return OfferedPictures([])
    within = Deadline.after(seconds)
    pool = ThreadPoolExecutor(len(asked), thread_name_prefix="offered-pictures")
    running = [pool.submit(partial(_pictures_of, provider, game, within)) for provider in asked]
    wait(running, timeout=seconds + _GRACE_SECONDS)
    pool.shutdown(wait=False, cancel_futures=True)
    offers: dict[str, OfferedPicture] = {}
    errors: dict[str, Message] = {}
    for provider, future in zip(asked, running, strict=True):
        error = future.exception() if future.done() else ProviderError(Message("server-timeout", server=provider.name))
        if error is not None:
            errors[provider.name] = _message_of(provider, error)
            continue
        for picture in future.result():
            offers.setdefault(f"{picture.role} {picture.address}", OfferedPicture(provider, picture))
    return OfferedPictures(list(offers.values()), errors)


def _pictures_of(provider: MetadataProvider, game: GameMetadata, within: Deadline) -> Sequence[ImageOffer]:
    if Capability.PICTURES in provider.capabilities:
        return provider.pictures(game, within=within)
    if Capability.FETCH not in provider.capabilities:
        return ()
    game_id = game.external_ids.get(provider.source_id) or _id_by_name(provider, game, within)
    found = provider.fetch([game_id], within=within) if game_id else {}
    return [picture for each in found.values() for picture in each.pictures]


def _id_by_name(provider: MetadataProvider, game: GameMetadata, within: Deadline) -> str:
    """Return the id of the game with this name, of that year if several have it; empty if there is none."""
    if Capability.SEARCH not in provider.capabilities:
        return ""
    year = game.released.date.year if game.released else 0
    found = (each for each in provider.search(game.name, within=within) if not each.extra)
    same = [each for each in found if similarity(game.name, each.name) == 1]
    best = min(same, key=lambda each: each.year != year, default=None)
    return best.id if best else ""


def _message_of(provider: MetadataProvider, error: BaseException) -> Message:
    if isinstance(error, ProviderError):
        _log.warning("provider failed", provider=provider.source_id, reason=str(error))
        return error.message
    _log.error("provider failed unexpectedly", provider=provider.source_id, exc_info=error)
    return Message("provider-unexpected", provider=provider.name)
