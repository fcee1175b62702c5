"""Shops: providers that know a few games, and whose pictures are at hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from playdock.fetching.web import Deadline
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import GameFacts, PictureOffer
from playdock.metadata.providers import Ability, Found


@dataclass
class Shop:
    """A provider that finds all its games whatever it is asked for, or, if it has a fault, nothing at all."""

    source_id: str
    games: Mapping[str, GameFacts]
    files: Mapping[str, bytes] = field(default_factory=dict)
    fault: str = ""
    fetched: list[list[str]] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)
    answers_every: int = 0
    """With a fault, every so many-th search is answered all the same."""

    can: frozenset[Ability] = frozenset((Ability.SEARCH, Ability.FETCH))

    @property
    def name(self) -> str:
        return f"The {self.source_id}"

    def recognise(self, query: str) -> str | None:
        return query if query in self.games else None

    def search(self, query: str, *, within: Deadline) -> Sequence[Found]:
        self.searched.append(query)
        if not self.answers_every or len(self.searched) % self.answers_every:
            self._fail()
        years = {game_id: facts.released.date.year if facts.released else 0 for game_id, facts in self.games.items()}
        return [Found(game_id, facts.name, year=years[game_id]) for game_id, facts in self.games.items()]

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameFacts]:
        self._fail()
        self.fetched.append(list(ids))
        return {game_id: self.games[game_id] for game_id in ids if game_id in self.games}

    def pictures(self, facts: GameFacts, *, within: Deadline) -> Sequence[PictureOffer]:
        return ()

    def download(self, offer: PictureOffer, *, within: Deadline) -> bytes:
        if offer.address not in self.files:
            raise ProviderFault(self.name, "has no such picture")
        return self.files[offer.address]

    def _fail(self) -> None:
        if self.fault:
            raise ProviderFault(self.name, self.fault, passes=True)
