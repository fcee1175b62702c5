"""Requesting games, voting for them, and answering."""

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from msgspec import Struct, field
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.events import queries as event_queries
from playdock.domain.events.rules import EventType
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.game_requests import queries
from playdock.domain.game_requests.queries import ListedRequest, ProviderId
from playdock.domain.game_requests.rules import RequestStatus, key_of
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.errors import LibraryUnknown
from playdock.features.accounts.service import lock_caller
from playdock.features.game_requests import rules
from playdock.features.game_requests.errors import (
    GameInStore,
    GameRequestUnknown,
    RequestedGameUnknown,
    TooManyGameRequests,
)
from playdock.features.game_requests.rules import RequestList
from playdock.features.game_requests.schemas import GameRequestAnswer, GameRequestCreate, RequestedMetadata
from playdock.fetching.requests import Deadline
from playdock.kit.clock import Clock
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.kit.texts import one_line
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import Role
from playdock.metadata.providers import SEARCH_SECONDS, Capability, Match, Providers, match_of_metadata
from playdock.models import GameRequest
from playdock.server.request_rate import RequestRate


class FoundGames(Struct, frozen=True):
    """What a search has found, and what is known of it: games in the store by provider's id, and requests by key.

    ``named`` is the id of a game in the store with the name that was searched for.
    """

    searchable: bool
    named: str | None
    matches: Sequence[Match]
    games: Mapping[ProviderId, str]
    requests: Mapping[str, GameRequest]


class GameRequests(Struct, frozen=True):
    """Operations on requests for games."""

    db: Database
    clock: Clock
    providers: Providers
    _searches: RequestRate = field(default_factory=lambda: RequestRate(rules.SEARCHES_PER_MINUTE))
    _lock: Lock = field(default_factory=Lock)

    def page(
        self, actor: Actor, which: RequestList, *, offset: int, limit: int
    ) -> tuple[Sequence[ListedRequest], Mapping[RequestStatus, int]]:
        """Return requests, those that most users want first, and how many there are of each status."""
        actor.require(Permission.REQUEST_READ)
        with self.db.read() as session:
            statuses = rules.STATUSES[which]
            found = queries.listed(session, actor.user.id, statuses=statuses, offset=offset, limit=limit)
            return found, {each: queries.count(session, (each,)) for each in RequestStatus}

    def search(self, actor: Actor, query: str) -> FoundGames:
        """Look for a game at all providers that respond, the likeliest first, each game once.

        Raises:
            TooManyRequests: the caller searches too often.
        """
        actor.require(Permission.REQUEST_NEW)
        searchable = bool(self.providers.with_capability(Capability.SEARCH))
        if searchable:
            with self._lock:
                self._searches.count(actor.user.id)
        matches = self.providers.search(query).matches
        ids = [(match.reference.source_id, match.reference.id) for match in matches]
        with self.db.read() as session:
            games = queries.games_of(session, ids)
            keys = [key_of("", source_id=source_id, metadata_id=game_id) for source_id, game_id in ids]
            requests = queries.requests_of(session, keys)
            named = queries.game_named(session, one_line(query))
        return FoundGames(
            searchable, named, rules.one_of_each(matches, games=games, requests=requests), games, requests
        )

    def create(self, actor: Actor, data: GameRequestCreate) -> ListedRequest:
        """Request a game, or vote for the request if there is one.

        Raises:
            GameInStore: the store has the game.
            TooManyGameRequests: too many of the caller's requests are waiting.
            RequestedGameUnknown: the provider does not respond, or has no such game.
            InvalidInput: the provider is not configured.
        """
        actor.require(Permission.REQUEST_NEW)
        values = self._described(data.metadata) if data.metadata else {"name": one_line(data.name)}
        with self.db.write() as session:
            lock_caller(session, actor)
            request_id = self._find_or_add(session, actor, values)
            queries.vote(session, request_id, actor.user.id, at=self.clock())
            return _shown(session, actor, request_id)

    def vote(self, actor: Actor, request_id: str) -> ListedRequest:
        """Record that the caller wants a requested game too.

        Raises:
            GameRequestUnknown: there is no such request.
        """
        actor.require(Permission.REQUEST_NEW)
        with self.db.write() as session:
            lock_caller(session, actor)
            if queries.find(session, request_id) is None:
                raise GameRequestUnknown
            queries.vote(session, request_id, actor.user.id, at=self.clock())
            return _shown(session, actor, request_id)

    def withdraw(self, actor: Actor, request_id: str) -> None:
        """Remove the caller's vote, and the request if nobody else wants the game and it is not answered.

        Raises:
            GameRequestUnknown: there is no such request.
        """
        actor.require(Permission.REQUEST_NEW)
        with self.db.write() as session:
            if queries.find(session, request_id) is None:
                raise GameRequestUnknown
            queries.withdraw(session, request_id, actor.user.id)
            queries.remove_unwanted(session, request_id)

    def answer(self, actor: Actor, request_id: str, answer: GameRequestAnswer) -> ListedRequest:
        """Accept or decline a request, or open it again. Those who want the game are notified.

        If the folder is that of a game, the request is done.

        Raises:
            GameRequestUnknown: there is no such request, or it is done.
            LibraryUnknown: the library of the folder does not exist.
            InvalidInput: the library has no such folder.
        """
        actor.require(Permission.REQUEST_UPDATE)
        now = self.clock()
        with self.db.write() as session:
            request = queries.find(session, request_id)
            if request is None or request.status == RequestStatus.DONE:
                raise GameRequestUnknown
            if answer.library_id and not library_queries.find(session, answer.library_id):
                raise LibraryUnknown
            path = (answer.path or "") if answer.library_id else ""
            game_id = folder_queries.owner_of_path(session, answer.library_id or "", path)
            if answer.library_id and not (game_id or queries.is_found(session, answer.library_id, path)):
                raise InvalidInput([FieldError("path", Message("request-folder-unknown"))])
            is_news = (request.status, request.comment) != (answer.status, answer.comment)
            folder = {"library_id": answer.library_id, "path": path or None}
            values = {"status": answer.status, "comment": answer.comment, "answered": now, **folder}
            changed = queries.change(session, request, values)
            if game_id and answer.status == RequestStatus.ACCEPTED.value:
                queries.fulfill(session, game_id, at=now)
            elif is_news and answer.status in rules.ANSWERS:
                event_queries.add_request(session, EventType.REQUEST_ANSWERED, changed, at=now)
            return _shown(session, actor, request_id)

    def delete(self, actor: Actor, request_id: str) -> None:
        """Delete a request with its votes.

        Raises:
            GameRequestUnknown: there is no such request.
        """
        actor.require(Permission.REQUEST_UPDATE)
        with self.db.write() as session:
            if not queries.remove(session, request_id):
                raise GameRequestUnknown

    def _described(self, chosen: RequestedMetadata) -> dict[str, Any]:
        """Return what the provider says about a game, so that a request shows nothing that its author made up."""
        provider = self.providers.find(chosen.source_id)
        if provider is None or Capability.FETCH not in provider.capabilities:
            raise InvalidInput(
                [FieldError("metadata.sourceId", Message("provider-removed", provider=chosen.source_id))]
            )
        try:
            facts = provider.fetch([chosen.id], within=Deadline.after(SEARCH_SECONDS)).get(chosen.id)
        except ProviderError as reason:
            raise RequestedGameUnknown(reason.message) from None
        if facts is None:
            raise RequestedGameUnknown(Message("provider-no-game", provider=provider.name, id=chosen.id))
        match = match_of_metadata(provider, chosen.id, facts)
        cover = next((each.address for each in facts.pictures if each.role is Role.COVER), match.icon)
        reference = {"source_id": provider.source_id, "metadata_id": chosen.id}
        return {"name": facts.name, "year": match.year, "icon": cover, **reference}

    def _find_or_add(self, session: Session, actor: Actor, described: dict[str, Any]) -> str:
        values = {"year": 0, "icon": "", "source_id": None, "metadata_id": None, **described}
        source_id, metadata_id = values["source_id"], values["metadata_id"]
        # Different games may have one name at a provider.
        is_there = queries.games_of(session, [(source_id, metadata_id)]) if source_id else False
        if is_there or (not source_id and queries.game_named(session, values["name"])):
            raise GameInStore
        key = key_of(values["name"], source_id=source_id, metadata_id=metadata_id)
        known = queries.find_by_key(session, key)
        if known is not None:
            return known.id
        if queries.count_waiting(session, actor.user.id) >= rules.MAX_WAITING:
            raise TooManyGameRequests
        now = self.clock()
        values |= {"id": new_id(), "key": key, "user_id": actor.user.id, "created": now}
        added = queries.add(session, {**values, "status": RequestStatus.OPEN.value, "comment": ""})
        if added is not None:
            event_queries.add_request(session, EventType.REQUEST_ADDED, added, at=now)
            return added.id
        # Somebody else has just requested it.
        return self._find_or_add(session, actor, described)


def _shown(session: Session, actor: Actor, request_id: str) -> ListedRequest:
    [found] = queries.listed(session, actor.user.id, request_id=request_id)
    return found
