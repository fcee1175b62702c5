"""Fetching metadata from providers, and applying it to games."""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Self, TypeVar

from msgspec import Struct, field
from sqlalchemy.orm import Session

from playdock.content.naming import title
from playdock.domain.artwork import queries as artwork_queries
from playdock.domain.artwork.service import Artwork, OfferedImage, StoredImage
from playdock.domain.companies import queries as company_queries
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.game_metadata import queries, rules
from playdock.domain.game_metadata.errors import AlreadyImported, GameDeleted, LibraryRemoved, MetadataTaken, NoMetadata
from playdock.domain.game_metadata.rules import Field, MetadataEdit
from playdock.domain.game_requests import queries as request_queries
from playdock.domain.games import queries as game_queries
from playdock.domain.games.queries import NewGame
from playdock.domain.libraries import queries as library_queries
from playdock.domain.search import queries as search_queries
from playdock.domain.tags import queries as tag_queries
from playdock.fetching.requests import Deadline
from playdock.kit.clock import Clock
from playdock.kit.messages import Message
from playdock.metadata.errors import ProviderError, RateLimited
from playdock.metadata.game_metadata import GameMetadata, Role
from playdock.metadata.providers import MANUAL, Capability, MetadataProvider, Providers, Reference
from playdock.models import Game
from playdock.stored import refresh_subject, versions_subject
from playdock.stored_moves import moved_versions_subject
from playdock.tasks import queries as task_queries
from playdock.tasks.context import TaskContext

# A provider that needs longer for one call is treated as unavailable, so that an import does not wait for it.
FACTS_SECONDS = 30.0
# For all pictures of one game together.
PICTURES_SECONDS = 90.0
# Together 10 minutes: a longer rate limit is a daily quota, which a task does not wait for.
_RETRY_DELAY_SECONDS = 2.0
_MAX_RETRIES = 300
_T = TypeVar("_T")


class PreparedGame(Struct, frozen=True):
    """A source's metadata of a game, with its pictures stored but not yet referenced by a row."""

    source: str
    facts: GameMetadata
    pictures: Sequence[StoredImage] = ()

    @classmethod
    def of_folder(cls, path: str) -> Self:
        """Return the metadata derived from the name of the game's folder."""
        return cls(rules.FOLDER, GameMetadata(name=title(path)))

    @classmethod
    def by_hand(cls, name: str) -> Self:
        """Return the metadata of a name entered by an administrator."""
        return cls(MANUAL, GameMetadata(name=name))


class GameMetadataService(Struct, frozen=True):
    """Operations on the metadata of games, inside the transactions of the callers."""

    clock: Clock
    providers: Providers
    artwork: Artwork

    def prepare(self, reference: Reference, *, fields: Collection[Field], context: TaskContext) -> PreparedGame:
        """Fetch a game's metadata from its provider, with the pictures for some fields.

        Raises:
            NoMetadata: the provider has no metadata, with the reason.
        """
        if reference.source_id == MANUAL:
            return PreparedGame.by_hand(reference.name)
        provider = self.provider(reference.source_id)
        facts = self.facts(provider, [reference.id]).get(reference.id)
        if facts is None:
            raise NoMetadata(Message("provider-no-game", provider=provider.name, id=reference.id))
        return self.with_pictures(provider, facts, fields=fields, context=context)

    def provider(self, source_id: str) -> MetadataProvider:
        """Return a configured provider.

        Raises:
            NoMetadata: no such provider is configured.
        """
        found = self.providers.find(source_id)
        if found is None:
            raise NoMetadata(Message("provider-removed", provider=source_id))
        return found

    def facts(self, provider: MetadataProvider, ids: Sequence[str]) -> Mapping[str, GameMetadata]:
        """Fetch several games from a provider in one call.

        Raises:
            NoMetadata: it does not respond.
        """
        try:
            return provider.fetch(ids, within=Deadline.after(FACTS_SECONDS))
        except ProviderError as reason:
            raise NoMetadata(reason.message) from None

    def with_pictures(
        self, provider: MetadataProvider, facts: GameMetadata, *, fields: Collection[Field], context: TaskContext
    ) -> PreparedGame:
        """Download the pictures of a game, from its provider and, for missing roles, from the picture providers."""
        within = Deadline.after(PICTURES_SECONDS)
        roles = {role for role, field in rules.PICTURES.items() if field in fields}
        offers = [OfferedImage(provider, each) for each in facts.pictures if each.role in roles]
        offers += self._further_offers(facts, roles, within=within, context=context)
        return PreparedGame(
            provider.source_id, facts, self.artwork.download_images(offers, within=within, context=context)
        )

    def add(self, session: Session, new: NewGame, prepared: PreparedGame, *, at: datetime) -> None:
        """Add a game with what was prepared.

        Raises:
            LibraryRemoved, AlreadyImported, MetadataTaken: it can no longer be added.
        """
        queries.lock_names(session)
        if not library_queries.lock(session, new.library_id):
            raise LibraryRemoved
        if folder_queries.owner_of_path(session, new.library_id, new.path):
            raise AlreadyImported
        if not game_queries.add_game(session, new, at=at):
            raise AlreadyImported if folder_queries.game_of_path(session, new.library_id, new.path) else MetadataTaken
        self.describe(session, new.id, prepared, fields=set(Field), at=at)

    def describe(
        self, session: Session, game_id: str, prepared: PreparedGame, *, fields: Collection[Field], at: datetime
    ) -> list[str]:
        """Write prepared metadata to a game: to the allowed fields for which it has a value.

        Return the ids of objects whose bytes must be deleted after the commit: those of replaced pictures, and of
        pictures downloaded for fields that are not allowed.

        Raises:
            GameDeleted: the game has been deleted.
        """
        game = queries.lock(session, game_id)
        if game is None:
            raise GameDeleted
        facts = prepared.facts
        available = rules.available_fields(facts) & set(fields)
        pictures = [each for each in prepared.pictures if rules.PICTURES[each.role] in fields]
        self._companies_and_tags(session, game_id, facts, available, at=at)
        obsolete = self._show(session, game_id, pictures)
        obsolete += [object_id for each in prepared.pictures if each not in pictures for object_id in each.object_ids]
        sources = dict.fromkeys(available, prepared.source) | {
            rules.PICTURES[each.role]: each.source for each in pictures
        }
        values = {
            **rules.columns(facts, available),
            "external_ids": {**game.external_ids, **facts.external_ids},
            "sources": _sources(game, sources),
            "refreshed": at,
        }
        game_queries.change_game(session, game_id, values)
        search_queries.index_game(session, game_id)
        request_queries.fulfill(session, game_id, at=at)
        return obsolete

    def edit(self, session: Session, game: Game, edited: MetadataEdit, *, at: datetime) -> None:
        """Write an administrator's edit, including empty values; the caller has locked the game."""
        self._companies_and_tags(session, game.id, edited.facts, edited.fields, at=at)
        for role, picture_ids in edited.shown.items():
            artwork_queries.use(session, game.id, role, picture_ids)
        given = {*edited.fields, *(rules.PICTURES[role] for role in edited.shown)}
        values = {
            **rules.columns(edited.facts, edited.fields),
            "sources": _sources(game, dict.fromkeys(given, MANUAL)),
        }
        game_queries.change_game(session, game.id, values)
        search_queries.index_game(session, game.id)
        if Field.NAME in edited.fields:
            request_queries.fulfill(session, game.id, at=at)

    def use_pictures(
        self, session: Session, game: Game, role: Role, picture_ids: Sequence[str], *, at: datetime
    ) -> None:
        """Let a game show pictures in a role, as an administrator's edit; those of the carousel are appended."""
        before = artwork_queries.in_role(session, game.id, role) if role is Role.CAROUSEL else []
        ids = list(dict.fromkeys([*before, *picture_ids]))
        self.edit(session, game, MetadataEdit(GameMetadata(name=""), (), {role: ids}), at=at)

    def stop(self, session: Session, game_ids: Collection[str], *, at: datetime) -> None:
        """Cancel the tasks of some games.

        Call this before removing the first game: tasks lock their own row before their game's, so canceling them after
        locking a game would deadlock.
        """
        for game_id in game_ids:
            for subject in (moved_versions_subject(game_id), versions_subject(game_id), refresh_subject(game_id)):
                task_queries.cancel_below(session, subject, at=at)

    def remove(self, session: Session, game_id: str) -> list[str] | None:
        """Delete a game without running tasks; its folder is kept and can be imported again.

        Return the ids of objects whose bytes must be deleted after the commit, None if there is no such game.
        """
        if queries.lock(session, game_id) is None:
            return None
        obsolete = artwork_queries.remove(session, artwork_queries.of_game(session, game_id))
        request_queries.reopen(session, game_id)
        game_queries.remove_game(session, game_id)
        return obsolete

    def _further_offers(
        self, facts: GameMetadata, roles: Collection[Role], *, within: Deadline, context: TaskContext
    ) -> list[OfferedImage]:
        found: list[OfferedImage] = []
        for provider in self.providers.with_capability(Capability.PICTURES):
            try:
                offered = provider.pictures(facts, within=within)
                found += [OfferedImage(provider, each) for each in offered if each.role in roles]
            except ProviderError as reason:
                context.log(Message("pictures-left-out", reason=reason.message), level="warn")
        return found

    def _companies_and_tags(
        self, session: Session, game_id: str, facts: GameMetadata, available: Collection[Field], *, at: datetime
    ) -> None:
        if Field.DEVELOPERS in available:
            ids = company_queries.find_or_add(session, facts.developers, at=at)
            company_queries.replace(session, game_id, "developer", ids)
        if Field.PUBLISHERS in available:
            ids = company_queries.find_or_add(session, facts.publishers, at=at)
            company_queries.replace(session, game_id, "publisher", ids)
        if Field.TAGS in available:
            tag_queries.replace(session, game_id, tag_queries.find_or_add(session, facts.tags, at=at))

    def _show(self, session: Session, game_id: str, pictures: Sequence[StoredImage]) -> list[str]:
        """Use new pictures in place of old ones; unused old ones are deleted, except uploads by administrators."""
        self.artwork.adopt(session, game_id, pictures)
        for role in {picture.role for picture in pictures}:
            artwork_queries.use(session, game_id, role, [each.id for each in pictures if each.role is role])
        unused = artwork_queries.unused(session, game_id, but_from=MANUAL)
        return artwork_queries.remove(session, unused)


class ProviderRetries(Struct):
    """Calls providers for a long task, and retries while they limit its rate; gives up on each provider only once."""

    context: TaskContext
    _ended: set[str] = field(default_factory=set)

    def ask(self, provider: MetadataProvider, call: Callable[[], _T]) -> _T:
        """Call a provider; retry for 10 minutes while its rate limit is exceeded. Stops at once if the task must stop.

        Raises:
            RateLimited: the limit is still exceeded.
            ProviderError: what the call raises.
        """
        for _ in range(0 if provider.source_id in self._ended else _MAX_RETRIES):
            self.context.check()
            try:
                return self._answer(call)
            except RateLimited:
                self.context.stopping.wait(_RETRY_DELAY_SECONDS)
        self._ended.add(provider.source_id)
        raise RateLimited(provider.name)

    def facts(self, provider: MetadataProvider, ids: Sequence[str]) -> Mapping[str, GameMetadata]:
        """Fetch several games in one call. Raises the same errors as `call`."""
        return self.ask(provider, lambda: provider.fetch(ids, within=Deadline.after(FACTS_SECONDS)))

    def _answer(self, call: Callable[[], _T]) -> _T:
        pool = ThreadPoolExecutor(1, thread_name_prefix="asking")
        running = pool.submit(call)
        pool.shutdown(wait=False)
        self.context.wait_for([running])
        return running.result()


def _sources(game: Game, given: Mapping[Field, str]) -> dict[str, str]:
    return {**game.sources, **{field.value: source for field, source in given.items()}}
