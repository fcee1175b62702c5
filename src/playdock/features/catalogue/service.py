"""Preparing what a provider knows of a game, and describing the game with it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self, TypeVar

from sqlalchemy.orm import Session

from playdock.content.naming import title
from playdock.features.artwork import queries as artwork_queries
from playdock.features.artwork.service import Artwork, Gathered, Offer
from playdock.features.catalogue import queries, rules
from playdock.features.catalogue.errors import AlreadyImported, GameGone, LibraryGone, MetadataTaken, NothingKnown
from playdock.features.catalogue.rules import Edited, Field
from playdock.features.companies import queries as company_queries
from playdock.features.games import queries as game_queries
from playdock.features.games.queries import NewGame
from playdock.features.libraries import queries as library_queries
from playdock.features.search import queries as search_queries
from playdock.features.tags import queries as tag_queries
from playdock.fetching.web import Deadline
from playdock.jobs import queries as job_queries
from playdock.jobs.work import Work
from playdock.kit.clock import Clock
from playdock.metadata.errors import ProviderFault, TooOften
from playdock.metadata.facts import GameFacts, Role
from playdock.metadata.providers import MANUAL, Ability, MetadataProvider, Providers, Reference
from playdock.models import Game

FACTS_SECONDS = 30.0
PICTURES_SECONDS = 90.0
_PAUSE_SECONDS = 2.0
_MOST_PAUSES = 300
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a source knows of a game, with its pictures stored and belonging to nothing yet."""

    source: str
    facts: GameFacts
    pictures: Sequence[Gathered] = ()

    @classmethod
    def of_folder(cls, path: str) -> Self:
        """Take what the name of the game's folder tells."""
        return cls(rules.FOLDER, GameFacts(name=title(path)))

    @classmethod
    def by_hand(cls, name: str) -> Self:
        """Take an administrator's own word."""
        return cls(MANUAL, GameFacts(name=name))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What is told of games."""

    clock: Clock
    providers: Providers
    artwork: Artwork

    def prepare(self, reference: Reference, *, fields: Collection[Field], work: Work) -> Prepared:
        """Ask a provider for a game, and gather the pictures that are wanted.

        Raises:
            NothingKnown: the provider cannot tell, and why.
        """
        if reference.source_id == MANUAL:
            return Prepared.by_hand(reference.name)
        provider = self.provider(reference.source_id)
        facts = self.facts(provider, [reference.id]).get(reference.id)
        if facts is None:
            raise NothingKnown(f"{provider.name} has no game with the id {reference.id}.")
        return self.with_pictures(provider, facts, fields=fields, work=work)

    def provider(self, source_id: str) -> MetadataProvider:
        """Find a provider that is set up.

        Raises:
            NothingKnown: there is none.
        """
        found = self.providers.find(source_id)
        if found is None:
            raise NothingKnown(f"The provider {source_id} is not set up any more.")
        return found

    def facts(self, provider: MetadataProvider, ids: Sequence[str]) -> Mapping[str, GameFacts]:
        """Ask a provider for games, all at once.

        Raises:
            NothingKnown: it does not answer.
        """
        try:
            return provider.fetch(ids, within=Deadline.after(FACTS_SECONDS))
        except ProviderFault as reason:
            raise NothingKnown(str(reason)) from None

    def with_pictures(
        self, provider: MetadataProvider, facts: GameFacts, *, fields: Collection[Field], work: Work
    ) -> Prepared:
        """Gather the pictures of a game, from its provider and, for what that has not, from those of pictures."""
        within = Deadline.after(PICTURES_SECONDS)
        roles = {role for role, field in rules.PICTURES.items() if field in fields}
        offers = [Offer(provider, each) for each in facts.pictures if each.role in roles]
        offers += self._further_offers(facts, roles, within=within, work=work)
        return Prepared(provider.source_id, facts, self.artwork.gather(offers, within=within, work=work))

    def add(self, session: Session, new: NewGame, prepared: Prepared, *, at: datetime) -> None:
        """Add a game with what was prepared.

        Raises:
            LibraryGone, AlreadyImported, MetadataTaken: it cannot be added any more.
        """
        queries.take_turns(session)
        if not library_queries.hold(session, new.library_id):
            raise LibraryGone
        if not game_queries.add_game(session, new, at=at):
            raise AlreadyImported if game_queries.game_of_path(session, new.library_id, new.path) else MetadataTaken
        self.describe(session, new.id, prepared, fields=set(Field), at=at)

    def describe(
        self, session: Session, game_id: str, prepared: Prepared, *, fields: Collection[Field], at: datetime
    ) -> list[str]:
        """Write what was prepared to those of a game's fields that may be filled, as far as it says something of them.

        Gives the ids of objects whose bytes are left to throw away: of pictures that were replaced, and of those that
        were gathered for fields that may not be filled.

        Raises:
            GameGone: the game was deleted meanwhile.
        """
        game = queries.hold(session, game_id)
        if game is None:
            raise GameGone
        facts = prepared.facts
        taken = rules.told(facts) & set(fields)
        pictures = [each for each in prepared.pictures if rules.PICTURES[each.role] in fields]
        self._companies_and_tags(session, game_id, facts, taken, at=at)
        left = self._show(session, game_id, pictures)
        left += [object_id for each in prepared.pictures if each not in pictures for object_id in each.object_ids]
        sources = dict.fromkeys(taken, prepared.source) | {rules.PICTURES[each.role]: each.source for each in pictures}
        values = {
            **rules.columns(facts, taken),
            "external_ids": {**game.external_ids, **facts.external_ids},
            "sources": _sources(game, sources),
            "refreshed": at,
        }
        queries.change(session, game_id, values)
        search_queries.index_game(session, game_id)
        return left

    def edit(self, session: Session, game: Game, edited: Edited, *, at: datetime) -> None:
        """Write what an administrator says of a game, also where that is nothing; the game's row is held."""
        self._companies_and_tags(session, game.id, edited.facts, edited.fields, at=at)
        for role, picture_ids in edited.shown.items():
            artwork_queries.use(session, game.id, role, picture_ids)
        given = {*edited.fields, *(rules.PICTURES[role] for role in edited.shown)}
        values = {
            **rules.columns(edited.facts, edited.fields),
            "sources": _sources(game, dict.fromkeys(given, MANUAL)),
        }
        queries.change(session, game.id, values)
        search_queries.index_game(session, game.id)

    def stop(self, session: Session, game_ids: Collection[str], *, at: datetime) -> None:
        """Stop what is done with some games.

        This comes before the first of them is removed: tasks hold their own row before their game's, and to go the
        other way would be to wait for each other.
        """
        for game_id in game_ids:
            for subject in (f"version:{game_id}:", f"refresh:{game_id}"):
                job_queries.cancel_on(session, subject, at=at)

    def remove(self, session: Session, game_id: str) -> list[str] | None:
        """Delete a game that nothing is done with any more; its folder stays, and can be imported again.

        Gives the ids of objects whose bytes are left to throw away, None if there is no such game.
        """
        if queries.hold(session, game_id) is None:
            return None
        left = artwork_queries.remove(session, artwork_queries.of_game(session, game_id))
        game_queries.remove_game(session, game_id)
        return left

    def _further_offers(
        self, facts: GameFacts, roles: Collection[Role], *, within: Deadline, work: Work
    ) -> list[Offer]:
        found: list[Offer] = []
        for provider in self.providers.able(Ability.PICTURES):
            try:
                offered = provider.pictures(facts, within=within)
                found += [Offer(provider, each) for each in offered if each.role in roles]
            except ProviderFault as reason:
                work.log(f"Further pictures were left out: {reason}", level="warn")
        return found

    def _companies_and_tags(
        self, session: Session, game_id: str, facts: GameFacts, taken: Collection[Field], *, at: datetime
    ) -> None:
        if Field.DEVELOPERS in taken:
            ids = company_queries.find_or_add(session, facts.developers, at=at)
            company_queries.replace(session, game_id, "developer", ids)
        if Field.PUBLISHERS in taken:
            ids = company_queries.find_or_add(session, facts.publishers, at=at)
            company_queries.replace(session, game_id, "publisher", ids)
        if Field.TAGS in taken:
            tag_queries.replace(session, game_id, tag_queries.find_or_add(session, facts.tags, at=at))

    def _show(self, session: Session, game_id: str, pictures: Sequence[Gathered]) -> list[str]:
        """Use new pictures in the places of old ones, which go unless somebody uploaded them."""
        self.artwork.adopt(session, game_id, pictures)
        for role in {picture.role for picture in pictures}:
            artwork_queries.use(session, game_id, role, [each.id for each in pictures if each.role is role])
        gone = artwork_queries.unused(session, game_id, but_from=MANUAL)
        return artwork_queries.remove(session, gone)


@dataclass(slots=True)
class Patience:
    """A long task's patience with providers that may not be asked so soon; with each of them it ends once."""

    work: Work
    _ended: set[str] = field(default_factory=set)

    def ask(self, provider: MetadataProvider, call: Callable[[], _T]) -> _T:
        """Ask, and wait for some minutes while the provider may not be asked; a task that must stop does so at once.

        Raises:
            TooOften: it may not be asked for longer than that.
            ProviderFault: what the call raises.
        """
        for _ in range(0 if provider.source_id in self._ended else _MOST_PAUSES):
            self.work.check()
            try:
                return self._answer(call)
            except TooOften:
                self.work.stopping.wait(_PAUSE_SECONDS)
        self._ended.add(provider.source_id)
        raise TooOften(provider.name)

    def facts(self, provider: MetadataProvider, ids: Sequence[str]) -> Mapping[str, GameFacts]:
        """Ask for games, all at once. Raises as `ask` does."""
        return self.ask(provider, lambda: provider.fetch(ids, within=Deadline.after(FACTS_SECONDS)))

    def _answer(self, call: Callable[[], _T]) -> _T:
        pool = ThreadPoolExecutor(1, thread_name_prefix="asking")
        running = pool.submit(call)
        pool.shutdown(wait=False)
        self.work.wait_for([running])
        return running.result()


def _sources(game: Game, given: Mapping[Field, str]) -> dict[str, str]:
    return {**game.sources, **{field.value: source for field, source in given.items()}}
