"""All statements on requests for games."""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, delete, exists, func, or_, select, tuple_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from playdock.content.naming import sort_name
from playdock.db.insertion import insert_or_ignore
from playdock.domain.events import queries as event_queries
from playdock.domain.events.rules import EventType
from playdock.domain.game_requests.rules import UNFULFILLED, RequestStatus, key_of
from playdock.domain.games import queries as game_queries
from playdock.models import FoundVersion, Game, GameRequest, GameRequestVote, PlanRow, User, Version

# A provider and the id of a game there.
ProviderId = tuple[str, str]


class ListedRequest(Struct, frozen=True):
    """A request, the number of users who want the game, whether the caller does, and who asked for it first."""

    request: GameRequest
    votes: int
    voted: bool
    requester: str | None


def find(session: Session, request_id: str) -> GameRequest | None:
    return session.get(GameRequest, request_id)


def find_by_key(session: Session, key: str) -> GameRequest | None:
    return session.scalar(select(GameRequest).where(GameRequest.key == key))


def add(session: Session, values: dict[str, Any]) -> GameRequest | None:
    """Add a request, in one statement, and return it; None if there is one with the same key."""
    statement = insert_or_ignore(session, GameRequest, values, returning=(GameRequest.id,))
    added = session.scalar(statement)
    return find(session, added) if added else None


def change(session: Session, request: GameRequest, values: dict[str, Any]) -> GameRequest:
    """Change a request, and return it as it is now."""
    session.execute(update(GameRequest).where(GameRequest.id == request.id).values(values))
    session.refresh(request)
    return request


def remove(session: Session, request_id: str) -> bool:
    """Delete a request with its votes; False if there is none."""
    return session.scalar(delete(GameRequest).where(GameRequest.id == request_id).returning(GameRequest.id)) is not None


def count_waiting(session: Session, user_id: str) -> int:
    """Return how many of a user's requests are neither declined nor done."""
    waiting = GameRequest.status.in_((RequestStatus.OPEN, RequestStatus.ACCEPTED))
    return session.scalar(select(func.count()).where(GameRequest.user_id == user_id, waiting)) or 0


def vote(session: Session, request_id: str, user_id: str, *, at: datetime) -> None:
    """Record that a user wants a game; does nothing if it is recorded."""
    values = {"request_id": request_id, "user_id": user_id, "created": at}
    session.execute(insert_or_ignore(session, GameRequestVote, values))


def withdraw(session: Session, request_id: str, user_id: str) -> None:
    """Remove the vote of a user, who is no longer the one who asked for the game."""
    is_own = (GameRequestVote.request_id == request_id) & (GameRequestVote.user_id == user_id)
    session.execute(delete(GameRequestVote).where(is_own))
    asked = (GameRequest.id == request_id) & (GameRequest.user_id == user_id)
    session.execute(update(GameRequest).where(asked).values(user_id=None))


def remove_unwanted(session: Session, request_id: str) -> None:
    """Delete a request that is open and that nobody wants any more."""
    wanted = exists().where(GameRequestVote.request_id == GameRequest.id)
    is_open = GameRequest.status == RequestStatus.OPEN
    session.execute(delete(GameRequest).where(GameRequest.id == request_id, is_open, ~wanted))


def count(session: Session, statuses: Collection[RequestStatus]) -> int:
    return session.scalar(select(func.count()).where(GameRequest.status.in_(statuses))) or 0


def listed(
    session: Session,
    user_id: str,
    *,
    statuses: Collection[RequestStatus] = tuple(RequestStatus),
    request_id: str | None = None,
    offset: int = 0,
    limit: int = 1,
) -> list[ListedRequest]:
    """Return requests, those that most users want first, or only one."""
    of_request = GameRequestVote.request_id == GameRequest.id
    votes = select(func.count()).where(of_request).correlate(GameRequest).scalar_subquery()
    voted = exists().where(of_request, GameRequestVote.user_id == user_id)
    conditions: list[ColumnElement[bool]] = [GameRequest.status.in_(statuses)]
    if request_id is not None:
        conditions.append(GameRequest.id == request_id)
    newest = func.coalesce(GameRequest.answered, GameRequest.created).desc()
    statement = (
        select(GameRequest, votes, voted, User.display_name)
        .outerjoin(User, User.id == GameRequest.user_id)
        .where(*conditions)
        .order_by(votes.desc(), newest, GameRequest.id)
        .offset(offset)
        .limit(limit)
    )
    return [ListedRequest(*row) for row in session.execute(statement)]


def requests_of(session: Session, keys: Collection[str]) -> Mapping[str, GameRequest]:
    """Return requests by their keys."""
    return {
        each.key: each for each in session.scalars(select(GameRequest).where(GameRequest.key.in_(keys))) if each.key
    }


def games_of(session: Session, ids: Collection[ProviderId]) -> Mapping[ProviderId, str]:
    """Return the games of the store whose metadata is that of a provider's game, by the provider's id."""
    reference = tuple_(Game.metadata_source, Game.metadata_id)
    rows = session.execute(select(Game.metadata_source, Game.metadata_id, Game.id).where(reference.in_(ids)))
    return {(row[0], row[1]): row[2] for row in rows}


def voters(session: Session, request_ids: Collection[str]) -> Mapping[str, set[str]]:
    """Return the ids of the requests that users have voted for, by user."""
    found: dict[str, set[str]] = {}
    vote_rows = select(GameRequestVote.user_id, GameRequestVote.request_id)
    for user_id, request_id in session.execute(vote_rows.where(GameRequestVote.request_id.in_(request_ids))):
        found.setdefault(user_id, set()).add(request_id)
    return found


def fulfill(session: Session, game_id: str, *, at: datetime) -> None:
    """Set the requests for a game to done, once it has a version.

    These are the requests with one of its providers' ids, those for its folder, and those with just its name.
    """
    game = game_queries.find_game(session, game_id)
    if game is None or not session.scalar(select(exists().where(Version.game_id == game_id))):
        return
    ids: Iterable[ProviderId] = {(game.metadata_source, game.metadata_id), *game.external_ids.items()}
    same_game = tuple_(GameRequest.source_id, GameRequest.metadata_id).in_(ids)
    beside = select(Version.name).where(Version.game_id == game_id, Version.beside)
    is_its_folder = (GameRequest.path == game.path) | GameRequest.path.in_(beside)
    same_folder = (GameRequest.library_id == game.library_id) & is_its_folder
    same_name = GameRequest.key == key_of(game.name, source_id=None, metadata_id=None)
    fulfilled = (
        update(GameRequest)
        .where(GameRequest.status.in_(UNFULFILLED), same_game | same_folder | same_name)
        .values(status=RequestStatus.DONE.value, game_id=game_id, key=None, answered=at)
        .returning(GameRequest)
    )
    for request in session.scalars(fulfilled).all():
        event_queries.add_request(session, EventType.REQUEST_DONE, request, at=at)


def reopen(session: Session, game_id: str) -> None:
    """Set the requests that a game has fulfilled to accepted again, because it is being deleted.

    They get their keys back, so that nobody requests the game a second time, unless somebody already has.
    """
    _reopen(session, GameRequest.game_id == game_id)


def reopen_all(session: Session, request_ids: Collection[str]) -> None:
    """Set the requests to accepted again that a deleted game had fulfilled, as `reopen` does."""
    _reopen(session, GameRequest.id.in_(request_ids))


def _reopen(session: Session, which: ColumnElement[bool]) -> None:
    reopened = (
        update(GameRequest)
        .where(which)
        .values(status=RequestStatus.ACCEPTED.value, game_id=None)
        .returning(GameRequest)
    )
    for request in session.scalars(reopened).all():
        key = key_of(request.name, source_id=request.source_id, metadata_id=request.metadata_id)
        # Not a condition: somebody may be requesting it at this moment.
        with suppress(IntegrityError), session.begin_nested():
            session.execute(update(GameRequest).where(GameRequest.id == request.id).values(key=key))


def close_again(session: Session, game_id: str, request_ids: Collection[str]) -> None:
    """Set the requests to done again that a restored game had fulfilled, unless another game has since."""
    waiting = GameRequest.id.in_(request_ids) & (GameRequest.game_id == game_id)
    session.execute(update(GameRequest).where(waiting).values(status=RequestStatus.DONE.value, key=None))


def is_found(session: Session, library_id: str, path: str) -> bool:
    """Return whether a scan or the import plan has found a folder that is not imported."""
    found = exists().where(FoundVersion.library_id == library_id, FoundVersion.path == path)
    planned = exists().where(PlanRow.library_id == library_id, PlanRow.path == path)
    return bool(session.scalar(select(or_(found, planned))))


def game_named(session: Session, name: str) -> str | None:
    """Return the id of a game with this name, ignoring case as far as the database does."""
    same = (Game.sort_name == sort_name(name), func.lower(Game.name) == func.lower(name))
    return session.scalar(select(Game.id).where(*same).order_by(Game.created, Game.id).limit(1))
