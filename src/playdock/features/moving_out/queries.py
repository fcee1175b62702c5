"""All statements for exports, which only read."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, TypeVar

from msgspec import Struct
from sqlalchemy import Row, Select, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from playdock import stored
from playdock.models import (
    Collection as GameCollection,
)
from playdock.models import (
    CollectionEntry,
    DeliveryPreferences,
    Device,
    DeviceInstallation,
    Game,
    GameRequest,
    GameRequestVote,
    Library,
    NotificationPreferences,
    PlayRecord,
    PlaySession,
    SavedGame,
    SaveSlot,
    SignInMethod,
    Tag,
    User,
    Version,
)

_R = TypeVar("_R", bound=Row[*tuple[Any, ...]])
_S = TypeVar("_S", bound=Select[*tuple[Any, ...]])


class UserRows(Struct, frozen=True):
    """A user with the sign-in methods by kind."""

    user: User
    methods: Mapping[str, SignInMethod]


class CollectionRows(Struct, frozen=True):
    """A collection with the id and the name of each game, and when it was added, oldest first."""

    collection: GameCollection
    games: Sequence[tuple[str, str, datetime]]


class PlayRows(Struct, frozen=True):
    """The play sessions of a user and a game, oldest first, and what the user notes about the game, if anything."""

    user_id: str
    game_id: str
    game_name: str
    sessions: Sequence[PlaySession]
    record: PlayRecord | None


class SaveSlotRows(Struct, frozen=True):
    """A slot with the name of its game, and its saves, oldest first."""

    slot: SaveSlot
    game_name: str
    saves: Sequence[SavedGame]


class DeviceRows(Struct, frozen=True):
    """A device with the id and the name of each installed game, and the name of the version."""

    device: Device
    games: Sequence[tuple[str, str, str | None]]


class PreferenceRows(Struct, frozen=True):
    """What a user wants to be notified of, the tags in it, how, and the email address that the user has confirmed."""

    user_id: str
    wanted: stored.StoredPreferences
    tags: Sequence[Tag]
    delivery: stored.StoredDelivery
    verified_email: str | None


def users(session: Session, *, only: str | None = None) -> list[UserRows]:
    """Return users by name, or one of them by id."""
    methods: dict[str, dict[str, SignInMethod]] = defaultdict(dict)
    for method in session.scalars(_of(select(SignInMethod), SignInMethod.user_id, only)):
        methods[method.user_id][method.kind] = method
    found = session.scalars(_of(select(User), User.id, only).order_by(User.normalized_name))
    return [UserRows(user, methods[user.id]) for user in found]


def libraries(session: Session) -> Sequence[Library]:
    return session.scalars(select(Library).order_by(Library.created, Library.id)).all()


def game_ids(session: Session) -> Sequence[str]:
    """Return the ids of all games, in the order in which they were added."""
    return session.scalars(select(Game.id).order_by(Game.created, Game.id)).all()


def collections(session: Session, *, only: str | None = None) -> list[CollectionRows]:
    """Return collections, or those of one user."""
    entries = select(CollectionEntry.collection_id, Game.id, Game.name, CollectionEntry.added)
    entries = entries.join(Game, Game.id == CollectionEntry.game_id).order_by(CollectionEntry.added, Game.id)
    entries = entries.join(GameCollection, GameCollection.id == CollectionEntry.collection_id)
    by_collection = _grouped(session.execute(_of(entries, GameCollection.user_id, only)))
    statement = _of(select(GameCollection), GameCollection.user_id, only)
    found = session.scalars(statement.order_by(GameCollection.created, GameCollection.id))
    return [
        CollectionRows(each, [(game, name, added) for _, game, name, added in by_collection[each.id]]) for each in found
    ]


def play_records(session: Session, *, only: str | None = None) -> Iterator[PlayRows]:
    """Yield play records by user and game, or those of one user."""
    names = {row.id: row.name for row in session.execute(select(Game.id, Game.name))}
    order = (PlaySession.started.nulls_first(), PlaySession.id)
    runs: defaultdict[tuple[str, str], list[PlaySession]] = defaultdict(list)
    for each in session.scalars(_of(select(PlaySession), PlaySession.user_id, only).order_by(*order)):
        runs[each.user_id, each.game_id].append(each)
    records = {
        (each.user_id, each.game_id): each
        for each in session.scalars(_of(select(PlayRecord), PlayRecord.user_id, only))
    }
    # A game may have been deleted in between.
    for user, game in sorted(each for each in {*runs, *records} if each[1] in names):
        yield PlayRows(user, game, names[game], runs[user, game], records.get((user, game)))


def save_slots(session: Session, *, only: str | None = None) -> list[SaveSlotRows]:
    """Return slots that have saves by user, game and number, or those of one user."""
    statement = select(SaveSlot, Game.name, SavedGame)
    statement = statement.join(Game, Game.id == SaveSlot.game_id).join(SavedGame, SavedGame.slot_id == SaveSlot.id)
    statement = statement.order_by(SaveSlot.user_id, SaveSlot.game_id, SaveSlot.number, SavedGame.position)
    by_slot = groupby(session.execute(_of(statement, SaveSlot.user_id, only)), key=lambda row: (row[0], row[1]))
    return [SaveSlotRows(slot, name, [row[2] for row in rows]) for (slot, name), rows in by_slot]


def devices(session: Session, user_id: str) -> list[DeviceRows]:
    """Return the devices of a user."""
    installed = select(DeviceInstallation.device_id, Game.id, Game.name, Version.name.label("version"))
    installed = installed.join(Game, Game.id == DeviceInstallation.game_id)
    installed = installed.outerjoin(Version, Version.id == DeviceInstallation.version_id)
    installed = installed.join(Device, Device.id == DeviceInstallation.device_id).where(Device.user_id == user_id)
    by_device = _grouped(session.execute(installed.order_by(Game.sort_name, Game.id)))
    found = session.scalars(select(Device).where(Device.user_id == user_id).order_by(Device.created, Device.id))
    return [
        DeviceRows(each, [(game, name, version) for _, game, name, version in by_device[each.id]]) for each in found
    ]


def game_requests(session: Session, user_id: str) -> list[tuple[GameRequest, datetime]]:
    """Return the requests that a user voted for, and when, oldest vote first. Who asks for a game votes for it too."""
    statement = select(GameRequest, GameRequestVote.created)
    statement = statement.join(GameRequestVote, GameRequestVote.request_id == GameRequest.id)
    own = statement.where(GameRequestVote.user_id == user_id)
    return [(row[0], row[1]) for row in session.execute(own.order_by(GameRequestVote.created, GameRequest.id))]


def notification_preferences(session: Session, user_id: str) -> PreferenceRows:
    """Return the preferences of a user, with the defaults for what was never set."""
    row, delivery = session.get(NotificationPreferences, user_id), session.get(DeliveryPreferences, user_id)
    wanted = stored.decode(row.preferences if row else {}, stored.StoredPreferences)
    tags = session.scalars(select(Tag).where(Tag.id.in_(wanted.tags)).order_by(Tag.normalized_name, Tag.id)).all()
    delivered = stored.decode(delivery.preferences if delivery else {}, stored.StoredDelivery)
    return PreferenceRows(user_id, wanted, tags, delivered, delivery.verified_email if delivery else None)


def _of(statement: _S, column: InstrumentedAttribute[str], only: str | None) -> _S:
    return statement if only is None else statement.where(column == only)


def _grouped(rows: Iterable[_R]) -> Mapping[str, list[_R]]:
    """Return rows by their first column."""
    grouped: defaultdict[str, list[_R]] = defaultdict(list)
    for row in rows:
        grouped[row[0]].append(row)
    return grouped
