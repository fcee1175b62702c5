"""The port that providers have in common, and the registry of those that are set up."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Protocol

import structlog

from playdock.fetching.web import Deadline
from playdock.metadata.errors import Elsewhere, ProviderFault
from playdock.metadata.facts import GameFacts, PictureOffer, Role
from playdock.metadata.ranking import rank

_log = structlog.get_logger()

MANUAL = "Manual"
SEARCH_SECONDS = 8.0
_GRACE_SECONDS = 0.5


class Ability(Enum):
    """What a provider can do."""

    SEARCH = "find games by name"
    FETCH = "tell what is known of a game"
    PICTURES = "offer pictures of a game that somebody else knows"


@dataclass(frozen=True, slots=True)
class Reference:
    """A game as a provider knows it: its id there, and its name."""

    source_id: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Found:
    """A game that a provider found; ``extra`` for what is no game of its own: demos, soundtracks, add-ons."""

    id: str
    name: str
    description: str = ""
    icon: str = ""
    year: int = 0
    on_pc: bool = True
    extra: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """A game that a provider, named for people, found: `year` is 0 when unknown, `likeness` to the search 0 to 1."""

    reference: Reference
    source_name: str
    likeness: float
    description: str = ""
    icon: str = ""
    year: int = 0


class MetadataProvider(Protocol):
    """Somebody who knows games. Every method but `recognise` raises ProviderFault when nothing can be had in time."""

    @property
    def source_id(self) -> str:
        """Give the provider's id on the wire, such as ``Steam``."""

    @property
    def name(self) -> str:
        """Give the provider's name for people."""

    @property
    def can(self) -> frozenset[Ability]:
        """Tell what the provider can do."""

    def recognise(self, query: str) -> str | None:
        """Read an id out of a query that is one, or the address of a game's page. No network.

        Where addresses do not hold the id, what they hold is given: `fetch` takes it, and answers by the id.
        """

    def search(self, query: str, *, within: Deadline) -> Sequence[Found]:
        """Look for games by name, in whatever order."""

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameFacts]:
        """Tell what is known of games, by id, in as few requests as the provider allows; unknown ids are left out."""

    def pictures(self, facts: GameFacts, *, within: Deadline) -> Sequence[PictureOffer]:
        """Offer pictures of a game that is known from elsewhere, by its ids or its name."""

    def download(self, offer: PictureOffer, *, within: Deadline) -> bytes:
        """Download an offered picture. Raises Elsewhere if it is not where the provider has its pictures."""


@dataclass(frozen=True, slots=True)
class Manual:
    """The administrator's own word."""

    source_id: str = MANUAL
    name: str = MANUAL
    can: frozenset[Ability] = frozenset()

    def recognise(self, query: str) -> str | None:  # noqa: ARG002 - any text is an id here, so none is told apart
        return None

    def search(self, query: str, *, within: Deadline) -> Sequence[Found]:  # noqa: ARG002 - there is nothing to look in
        return ()

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameFacts]:  # noqa: ARG002 - as above
        return {}

    def pictures(self, facts: GameFacts, *, within: Deadline) -> Sequence[PictureOffer]:  # noqa: ARG002 - as above
        return ()

    def download(self, offer: PictureOffer, *, within: Deadline) -> bytes:  # noqa: ARG002 - nothing was offered
        raise Elsewhere(self.name)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search brought: matches, the likeliest first, and by provider why some brought nothing."""

    matches: list[Match]
    faults: Mapping[str, str] = field(default_factory=dict)
    asked: int = 0

    @property
    def failed(self) -> bool:
        """Tell whether everybody who was asked failed."""
        return self.asked > 0 and len(self.faults) == self.asked


class Providers:
    """The providers that are set up, by their id, in the order in which equals are shown."""

    def __init__(self, providers: Iterable[MetadataProvider]) -> None:
        self._providers = {provider.source_id: provider for provider in providers}

    @property
    def names(self) -> list[str]:
        return sorted(self._providers)

    def missing(self, named: Iterable[str]) -> list[str]:
        """Give those of some names, in whatever case, that no provider has."""
        known = {source_id.lower() for source_id in self._providers}
        return sorted(name for name in named if name.lower() not in known)

    def able(self, ability: Ability) -> list[MetadataProvider]:
        return [provider for provider in self._providers.values() if ability in provider.can]

    def find(self, source_id: str) -> MetadataProvider | None:
        return self._providers.get(source_id)

    def picture(self, address: str, *, seconds: float) -> bytes:
        """Download a picture from whichever provider has its pictures there.

        Raises:
            Elsewhere: none has, and nobody was asked.
            ProviderFault: it cannot be had.
        """
        offer, within = PictureOffer(Role.COVER, address), Deadline.after(seconds)
        for provider in self._providers.values():
            with suppress(Elsewhere):
                return provider.download(offer, within=within)
        raise Elsewhere(MANUAL)

    def examine(self, *, seconds: float = SEARCH_SECONDS) -> Mapping[str, str]:
        """Find out who answers at this moment: give what is wrong with each by its name, empty if all is well."""
        unheard_of = secrets.token_hex(8)
        within = Deadline.after(seconds)
        return {
            provider.name: _ailment(provider, unheard_of, within)
            for provider in self._providers.values()
            if provider.can
        }

    def search(self, query: str, *, seconds: float = SEARCH_SECONDS) -> Outcome:
        """Ask all providers at once, each for so many seconds at most, and give what arrived, the likeliest first."""
        asked = self.able(Ability.SEARCH)
        if not asked:
            return Outcome([])
        within = Deadline.after(seconds)
        pool = ThreadPoolExecutor(len(asked), thread_name_prefix="search")
        running = [pool.submit(partial(matches_of, provider, query, within)) for provider in asked]
        wait(running, timeout=seconds + _GRACE_SECONDS)
        pool.shutdown(wait=False, cancel_futures=True)
        arrived, faults = _gathered(asked, running)
        return Outcome(sorted(arrived, key=lambda match: match.likeness, reverse=True), faults, len(asked))


def _ailment(provider: MetadataProvider, unheard_of: str, within: Deadline) -> str:
    """Ask for a game that nobody has asked for, so that no answer that was kept will do."""
    try:
        if Ability.SEARCH in provider.can:
            provider.search(unheard_of, within=within)
        else:
            provider.pictures(GameFacts(unheard_of), within=within)
    except ProviderFault as fault:
        return str(fault)
    return ""


def _gathered(
    asked: Sequence[MetadataProvider], running: Sequence[Future[list[Match]]]
) -> tuple[list[Match], dict[str, str]]:
    arrived: list[Match] = []
    faults: dict[str, str] = {}
    for provider, future in zip(asked, running, strict=True):
        fault = future.exception() if future.done() else ProviderFault(provider.name, "did not answer in time")
        if fault is None:
            arrived += future.result()
        else:
            faults[provider.source_id] = _told(provider, fault)
    return arrived, faults


def _told(provider: MetadataProvider, fault: BaseException) -> str:
    if isinstance(fault, ProviderFault):
        _log.warning("provider failed", provider=provider.source_id, reason=str(fault))
        return str(fault)
    _log.error("provider failed unexpectedly", provider=provider.source_id, exc_info=fault)
    return f"{provider.name} answered with something unexpected."


def matches_of(provider: MetadataProvider, query: str, within: Deadline) -> list[Match]:
    """Ask one provider: for the game whose id or address the query is, and, unless it is an address, by name."""
    known = _known(provider, query, within)
    exact = [match_of_facts(provider, game_id, facts) for game_id, facts in known.items()]
    if "://" in query:
        return exact
    found = [_match(provider, query, each) for each in provider.search(query, within=within) if each.id not in known]
    return exact + found


def _known(provider: MetadataProvider, query: str, within: Deadline) -> Mapping[str, GameFacts]:
    recognised = provider.recognise(query) if Ability.FETCH in provider.can else None
    return provider.fetch([recognised], within=within) if recognised else {}


def match_of_facts(provider: MetadataProvider, game_id: str, facts: GameFacts) -> Match:
    """Give a game that was fetched by its id as a match: there is none likelier."""
    icon = next((each.address for each in facts.pictures if each.role in (Role.ICON, Role.COVER)), "")
    year = facts.released.date.year if facts.released else 0
    reference = Reference(provider.source_id, game_id, facts.name)
    return Match(reference, provider.name, 1.0, description=facts.short, icon=icon, year=year)


def _match(provider: MetadataProvider, query: str, found: Found) -> Match:
    return Match(
        Reference(provider.source_id, found.id, found.name),
        provider.name,
        rank(query, found.name, on_pc=found.on_pc, extra=found.extra),
        description=found.description,
        icon=found.icon,
        year=found.year,
    )
