"""The interface of metadata providers, and the collection of those that are set up."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Protocol

import structlog
from msgspec import Struct, field

from playdock.fetching.requests import Deadline
from playdock.kit.messages import Message
from playdock.metadata.errors import ForeignAddress, ProviderError
from playdock.metadata.game_metadata import GameMetadata, ImageOffer, Role
from playdock.metadata.ranking import LIKELY_SIMILARITY, parts_of, rank

_log = structlog.get_logger()

MANUAL = "Manual"
# An administrator waits for the search; slower providers are reported as failed.
SEARCH_SECONDS = 8.0
# Providers meet the deadline themselves; this leaves time to return their results.
_GRACE_SECONDS = 0.5
# Two typing errors in a name of ten letters; games with less similar names are others.
_MIN_SIMILARITY = 0.7


class Capability(Enum):
    """An operation that a provider supports."""

    SEARCH = "search for games by name"
    FETCH = "fetch the metadata of a game"
    PICTURES = "offer pictures of a game from another provider"


class Reference(Struct, frozen=True):
    """A game at a provider: its id and name there."""

    source_id: str
    id: str
    name: str


class SearchResult(Struct, frozen=True):
    """A game that a provider found; ``extra`` marks demos, soundtracks, add-ons and the like."""

    id: str
    name: str
    description: str = ""
    icon: str = ""
    year: int = 0
    on_pc: bool = True
    extra: bool = False


class Match(Struct, frozen=True):
    """A search result with its provider's display name and its ``similarity`` to the query from 0 to 1.

    ``year`` is 0 if the release date is unknown. ``external_ids`` are the ids at other providers, as far as known.
    """

    reference: Reference
    source_name: str
    similarity: float
    description: str = ""
    icon: str = ""
    year: int = 0
    external_ids: Mapping[str, str] = field(default_factory=dict)


class MetadataProvider(Protocol):
    """A source of game metadata. Every method but `recognize` raises ProviderError if it fails before the deadline."""

    @property
    def source_id(self) -> str:
        """Return the provider's id in the HTTP interface, such as ``Steam``."""

    @property
    def name(self) -> str:
        """Return the provider's display name."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Return the operations that the provider supports."""

    def recognize(self, query: str) -> str | None:
        """Return the id in a query that is an id or the URL of a game's page, else None. Sends no request.

        If the URL does not contain the id, the result is what identifies the game in it. `fetch` accepts that too and
        returns the game under its id.
        """

    def search(self, query: str, *, within: Deadline) -> Sequence[SearchResult]:
        """Search for games by name and return them in any order."""

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameMetadata]:
        """Return the metadata of games by id, in as few requests as possible; unknown ids are left out."""

    def pictures(self, game: GameMetadata, *, within: Deadline) -> Sequence[ImageOffer]:
        """Offer pictures of a game from another provider, found by its external ids or its name."""

    def download(self, offer: ImageOffer, *, within: Deadline) -> bytes:
        """Download an offered picture.

        Raises:
            ForeignAddress: its URL is not on the provider's picture servers.
        """


class Manual(Struct, frozen=True):
    """The pseudo-provider of metadata that an administrator entered. It supports no operation."""

    source_id: str = MANUAL
    name: str = MANUAL
    capabilities: frozenset[Capability] = frozenset()

    def recognize(self, query: str) -> str | None:  # noqa: ARG002 - it has no ids
        return None

    def search(self, query: str, *, within: Deadline) -> Sequence[SearchResult]:  # noqa: ARG002 - nothing to search
        return ()

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameMetadata]:  # noqa: ARG002 - as above
        return {}

    def pictures(self, game: GameMetadata, *, within: Deadline) -> Sequence[ImageOffer]:  # noqa: ARG002 - as above
        return ()

    def download(self, offer: ImageOffer, *, within: Deadline) -> bytes:  # noqa: ARG002 - nothing was offered
        raise ForeignAddress(self.name)


class SearchOutcome(Struct, frozen=True):
    """The matches of a search by descending similarity, and the error messages of failed providers by source id."""

    matches: list[Match]
    errors: Mapping[str, Message] = field(default_factory=dict)
    searched: int = 0

    @property
    def failed(self) -> bool:
        """Whether all searched providers failed."""
        return self.searched > 0 and len(self.errors) == self.searched


class Providers:
    """The providers that are set up, in the order in which equally similar results are shown."""

    def __init__(self, providers: Iterable[MetadataProvider]) -> None:
        self._providers = {provider.source_id: provider for provider in providers}

    def replace(self, providers: Iterable[MetadataProvider]) -> None:
        """Use other providers from now on, because settings have changed."""
        self._providers = {provider.source_id: provider for provider in providers}

    @property
    def all(self) -> list[MetadataProvider]:
        return list(self._providers.values())

    @property
    def names(self) -> list[str]:
        return sorted(self._providers)

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return those of some names, in any case, that are not the id of a provider that is set up."""
        known = {source_id.lower() for source_id in self._providers}
        return sorted(name for name in names if name.lower() not in known)

    def with_capability(self, capability: Capability) -> list[MetadataProvider]:
        return [provider for provider in self._providers.values() if capability in provider.capabilities]

    def find(self, source_id: str) -> MetadataProvider | None:
        return self._providers.get(source_id)

    def picture(self, address: str, *, seconds: float) -> bytes:
        """Download a picture from the provider whose picture servers its URL is on.

        Raises:
            ForeignAddress: there is no such provider; no request was sent.
            ProviderError: the picture cannot be downloaded.
        """
        offer, within = ImageOffer(Role.COVER, address), Deadline.after(seconds)
        for provider in self._providers.values():
            with suppress(ForeignAddress):
                return provider.download(offer, within=within)
        raise ForeignAddress(MANUAL)

    def check(self, *, seconds: float = SEARCH_SECONDS) -> Mapping[str, str]:
        """Send a request to every provider and return error messages by display name, empty for those that work."""
        uncached = secrets.token_hex(8)
        within = Deadline.after(seconds)
        return {
            provider.name: str(_check_error(provider, uncached, within) or "")
            for provider in self._providers.values()
            if provider.capabilities
        }

    def fault_of(self, source_id: str, *, seconds: float) -> Message | None:
        """Send a request to a provider that is set up, and return why it does not work, None if it does."""
        return _check_error(self._providers[source_id], secrets.token_hex(8), Deadline.after(seconds))

    def search(self, query: str, *, seconds: float = SEARCH_SECONDS) -> SearchOutcome:
        """Search all providers concurrently, each for at most ``seconds``, and return what they found in time.

        Providers that find no similar name are searched again for parts of the query, which may have a typing error.
        """
        searched = self.with_capability(Capability.SEARCH)
        if not searched:
            return SearchOutcome([])
        within = Deadline.after(seconds)
        pool = ThreadPoolExecutor(len(searched), thread_name_prefix="search")
        running = [pool.submit(partial(_tolerant_matches, provider, query, within)) for provider in searched]
        wait(running, timeout=seconds + _GRACE_SECONDS)
        pool.shutdown(wait=False, cancel_futures=True)
        matches, errors = _collected(searched, running)
        return SearchOutcome(sorted(matches, key=lambda match: match.similarity, reverse=True), errors, len(searched))


def _check_error(provider: MetadataProvider, uncached: str, within: Deadline) -> Message | None:
    """Send a request for a random name, which no cached response can answer, and return the error message if any."""
    try:
        if Capability.SEARCH in provider.capabilities:
            provider.search(uncached, within=within)
        else:
            provider.pictures(GameMetadata(uncached), within=within)
    except ProviderError as error:
        return error.message
    return None


def _collected(
    searched: Sequence[MetadataProvider], running: Sequence[Future[list[Match]]]
) -> tuple[list[Match], dict[str, Message]]:
    matches: list[Match] = []
    errors: dict[str, Message] = {}
    for provider, future in zip(searched, running, strict=True):
        late = ProviderError(Message("server-timeout", server=provider.name))
        error = future.exception() if future.done() else late
        if error is None:
            matches += future.result()
        else:
            errors[provider.source_id] = _logged(provider, error)
    return matches, errors


def _logged(provider: MetadataProvider, error: BaseException) -> Message:
    """Log the error of a provider and return its message."""
    if isinstance(error, ProviderError):
        _log.warning("provider failed", provider=provider.source_id, reason=str(error))
        return error.message
    _log.error("provider failed unexpectedly", provider=provider.source_id, exc_info=error)
    return Message("provider-unexpected", provider=provider.name)


def matches_of(provider: MetadataProvider, query: str, within: Deadline) -> list[Match]:
    """Return one provider's matches: the game whose id or URL the query is and, unless it is a URL, games by name."""
    exact = _exact(provider, query, within)
    matches = [match_of_metadata(provider, game_id, game) for game_id, game in exact.items()]
    if "://" in query:
        return matches
    results = (result for result in provider.search(query, within=within) if result.id not in exact)
    return matches + [_match(provider, query, result) for result in results]


def _tolerant_matches(provider: MetadataProvider, query: str, within: Deadline) -> list[Match]:
    """Return one provider's matches; if none is likely, also games with similar names that parts of the query find."""
    matches = matches_of(provider, query, within)
    for part in () if "://" in query else parts_of(query):
        if any(match.similarity >= LIKELY_SIMILARITY for match in matches):
            break
        # The first search has worked, and what it has found is shown.
        with suppress(ProviderError):
            known = {match.reference.id for match in matches}
            found = (_match(provider, query, result) for result in provider.search(part, within=within))
            matches += [each for each in found if each.similarity >= _MIN_SIMILARITY and each.reference.id not in known]
    return matches


def _exact(provider: MetadataProvider, query: str, within: Deadline) -> Mapping[str, GameMetadata]:
    recognized = provider.recognize(query) if Capability.FETCH in provider.capabilities else None
    return provider.fetch([recognized], within=within) if recognized else {}


def match_of_metadata(provider: MetadataProvider, game_id: str, game: GameMetadata) -> Match:
    """Return a game that was fetched by its id as a match with the highest similarity."""
    icon = next((each.address for each in game.pictures if each.role in (Role.ICON, Role.COVER)), "")
    year = game.released.date.year if game.released else 0
    reference = Reference(provider.source_id, game_id, game.name)
    return Match(
        reference,
        provider.name,
        1.0,
        description=game.summary or game.short,
        icon=icon,
        year=year,
        external_ids=game.external_ids,
    )


def _match(provider: MetadataProvider, query: str, result: SearchResult) -> Match:
    return Match(
        Reference(provider.source_id, result.id, result.name),
        provider.name,
        rank(query, result.name, on_pc=result.on_pc, extra=result.extra),
        description=result.description,
        icon=result.icon,
        year=result.year,
    )
