"""Metadata providers for tests, with a few games and local images."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from playdock.fetching.requests import Deadline
from playdock.kit.messages import Message
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import GameMetadata, ImageOffer
from playdock.metadata.providers import Capability, SearchResult


@dataclass
class FakeProvider:
    """A provider whose searches return all its games, or fail if it has a fault."""

    source_id: str
    games: Mapping[str, GameMetadata]
    files: Mapping[str, bytes] = field(default_factory=dict)
    fault: str = ""
    fetched: list[list[str]] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)
    answers_every: int = 0
    """With a fault, every n-th search succeeds nevertheless."""

    capabilities: frozenset[Capability] = frozenset((Capability.SEARCH, Capability.FETCH))

    @property
    def name(self) -> str:
        return f"The {self.source_id}"

    def recognize(self, query: str) -> str | None:
        return query if query in self.games else None

    def search(self, query: str, *, within: Deadline) -> Sequence[SearchResult]:
        self.searched.append(query)
        if not self.answers_every or len(self.searched) % self.answers_every:
            self._fail()
        years = {game_id: game.released.date.year if game.released else 0 for game_id, game in self.games.items()}
        return [SearchResult(game_id, game.name, year=years[game_id]) for game_id, game in self.games.items()]

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameMetadata]:
        self._fail()
        self.fetched.append(list(ids))
        return {game_id: self.games[game_id] for game_id in ids if game_id in self.games}

    def pictures(self, game: GameMetadata, *, within: Deadline) -> Sequence[ImageOffer]:
        return ()

    def download(self, offer: ImageOffer, *, within: Deadline) -> bytes:
        if offer.address not in self.files:
            raise ProviderError(Message("provider-no-record", provider=self.name))
        return self.files[offer.address]

    def _fail(self) -> None:
        if self.fault:
            raise ProviderError(Message("provider-failed", provider=self.name, reason=self.fault), retryable=True)


@dataclass
class PatientShop(FakeProvider):
    """A shop that can be told to answer searches only one by one."""

    waits: threading.Semaphore | None = None

    def search(self, query: str, *, within: Deadline) -> Sequence[SearchResult]:
        if self.waits is not None:
            assert self.waits.acquire(timeout=120)
        return super().search(query, within=within)
