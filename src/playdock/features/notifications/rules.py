"""Pure decisions about notifications: whom an event concerns, and what the notification says."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from playdock.content.layouts import DEFAULT_VERSION, shown_version, titled
from playdock.domain.events.rules import EventType
from playdock.kit.messages import Message
from playdock.stored import StoredPreferences
from playdock.stored_events import (
    ArticleEvent,
    EventData,
    FoldersEvent,
    LibraryEvent,
    NewVersionEvent,
    RequestEvent,
    SpaceEvent,
    StoredMessage,
    TaskEvent,
    VersionEvent,
)

FOR_EVERYBODY = (
    EventType.GAME_ADDED,
    EventType.VERSION_ADDED,
    EventType.NEWS_PUBLISHED,
    EventType.REQUEST_ANSWERED,
    EventType.REQUEST_DONE,
)
FOR_ADMINS = (
    EventType.REQUEST_ADDED,
    EventType.TASK_FAILED,
    EventType.TASK_WAITING,
    EventType.VERSION_DAMAGED,
    EventType.VERSION_MISSING,
    EventType.FILES_ADDED,
    EventType.FOLDERS_FOUND,
    EventType.VERSION_FOUND,
    EventType.VERSION_IMPORTED,
    EventType.LIBRARY_UNAVAILABLE,
    EventType.DISK_LOW,
)
DATA: Mapping[EventType, type[EventData]] = {
    EventType.GAME_ADDED: VersionEvent,
    EventType.VERSION_ADDED: VersionEvent,
    EventType.VERSION_DAMAGED: VersionEvent,
    EventType.VERSION_MISSING: VersionEvent,
    EventType.FILES_ADDED: VersionEvent,
    EventType.TASK_FAILED: TaskEvent,
    EventType.TASK_WAITING: TaskEvent,
    EventType.FOLDERS_FOUND: FoldersEvent,
    EventType.VERSION_FOUND: NewVersionEvent,
    EventType.VERSION_IMPORTED: NewVersionEvent,
    EventType.LIBRARY_UNAVAILABLE: LibraryEvent,
    EventType.DISK_LOW: SpaceEvent,
    EventType.NEWS_PUBLISHED: ArticleEvent,
    EventType.REQUEST_ADDED: RequestEvent,
    EventType.REQUEST_ANSWERED: RequestEvent,
    EventType.REQUEST_DONE: RequestEvent,
}
# About something that waits for an administrator. Once it is settled, there is nothing left to do.
SETTLING = frozenset(FOR_ADMINS) - {EventType.VERSION_IMPORTED}
# The sentences about requests, by the type of the event; about one that was answered, by the answer too.
_ONE_REQUEST = {
    EventType.REQUEST_ADDED: "request-added",
    EventType.REQUEST_DONE: "request-done",
    "accepted": "request-accepted",
    "declined": "request-declined",
}
_REQUESTS = {
    EventType.REQUEST_ADDED: "requests-added",
    EventType.REQUEST_ANSWERED: "requests-answered",
    EventType.REQUEST_DONE: "requests-done",
}
# Space that stays low is mentioned again in case the first message was forgotten.
_REMINDED_AFTER = timedelta(days=7)
_SHORTEST_EPISODE = timedelta(days=1)
# As many names as fit into a line or two.
_MAX_NAMES = 5
# All numbers with so many digits are integers of 64 bits.
_MAX_DIGITS = 18


def why_waiting(running: Message | None) -> Message:
    """Return why a task waits, from the name of the one that its queue runs, if any."""
    return Message("waits-for-task", task=running) if running else Message("waits-for-process")


def is_over(since: datetime, *, is_low: bool, now: datetime) -> bool:
    """Return whether the administrators are told again when there is, or is still, little space left.

    Space that varies around the limit is reported once a day at most.
    """
    return now - since >= (_REMINDED_AFTER if is_low else _SHORTEST_EPISODE)


class Occurrence(Struct, frozen=True):
    """An event whose data is decoded."""

    id: int
    event_type: EventType
    data: EventData


def still_new(found: FoldersEvent, imported: Collection[str]) -> FoldersEvent | None:
    """Leave out the folders that have been imported since they were found; None if none is left.

    An event has the names of its first folders only, so that the number of the others is estimated.
    """
    folders = tuple(folder for folder in found.folders if folder not in imported)
    unnamed = found.count - len(found.folders)
    count = len(folders) + (max(0, unnamed - len(imported)) if unnamed else 0)
    return replace(found, count=count, folders=folders) if count else None


class Recipient(Struct, frozen=True):
    """A user; ``played`` has the games that they have installed or added, each with its platform if it is known.

    ``requests`` are the ids of the requests that they have voted for.
    """

    id: str
    admin: bool
    preferences: StoredPreferences
    played: Mapping[str, Collection[str]]
    requests: Collection[str] = ()


class Content(Struct, frozen=True):
    """What a notification says, and the path of the page that it leads to."""

    event_type: EventType
    title: Message
    description: Message | None
    link: str


class Notice(Struct, frozen=True):
    """A notification before it is written: the same for several users, some of whom do not want it in the app."""

    nonce: str
    content: Content
    user_ids: Sequence[str]
    muted_by: Collection[str] = ()


def nonce_of(batch: str, event_type: str) -> str:
    """Return what names the notification about the events of a type in a batch."""
    return f"{batch}:{event_type}"


def events_of(nonce: str) -> tuple[str, str]:
    """Return the batch and the type of the events that a notification is about."""
    batch, _, event_type = nonce.partition(":")
    return batch, event_type


def number_of(notification_id: str) -> int:
    """Return the number that an id stands for; 0, which is none's, for anything else."""
    is_number = notification_id.isascii() and notification_id.isdecimal() and len(notification_id) <= _MAX_DIGITS
    return int(notification_id) if is_number else 0


def types_for(*, admin: bool) -> tuple[EventType, ...]:
    """Return the types of events that a user can be notified of."""
    return (*FOR_EVERYBODY, *FOR_ADMINS) if admin else FOR_EVERYBODY


def games_of(events: Iterable[Occurrence]) -> set[str]:
    """Return the ids of the games that versions and published articles are about."""
    about = (each.data for each in events)
    return {data.game for data in about if isinstance(data, VersionEvent | ArticleEvent) and data.game}


def requests_of(events: Iterable[Occurrence]) -> set[str]:
    """Return the ids of the requests that events are about."""
    return {each.data.request for each in events if isinstance(each.data, RequestEvent)}


def notices(
    events: Sequence[Occurrence], recipients: Iterable[Recipient], tags: Mapping[str, Collection[str]], *, batch: str
) -> Iterator[Notice]:
    """Yield what to write about the events of a batch; ``tags`` has the ids of the tags of each new game."""
    audiences: dict[tuple[int, ...], list[Recipient]] = {}
    for recipient in recipients:
        for event_type in types_for(admin=recipient.admin):
            of_type = [each for each in events if each.event_type is event_type]
            # A game that was requested is announced once.
            told = _fulfilled(events, recipient) if event_type is EventType.GAME_ADDED else ()
            concerning = tuple(each.id for each in of_type if each.id not in told and concerns(each, recipient, tags))
            if concerning:
                audiences.setdefault(concerning, []).append(recipient)
    by_id = {each.id: each for each in events}
    for ids, audience in audiences.items():
        content = content_of([by_id[event_id] for event_id in ids])
        muted_by = {each.id for each in audience if content.event_type in each.preferences.muted}
        yield Notice(nonce_of(batch, content.event_type), content, [each.id for each in audience], muted_by)


def _fulfilled(events: Sequence[Occurrence], recipient: Recipient) -> set[int]:
    """Return the ids of the events about games that the recipient has requested, and is told of for that reason."""
    if not recipient.requests or EventType.REQUEST_DONE in recipient.preferences.muted:
        return set()
    done = [each for each in events if each.event_type is EventType.REQUEST_DONE and concerns(each, recipient, {})]
    games = {each.data.game for each in done if isinstance(each.data, RequestEvent)}
    return {each.id for each in events if isinstance(each.data, VersionEvent) and each.data.game in games}


def concerns(event: Occurrence, recipient: Recipient, tags: Mapping[str, Collection[str]]) -> bool:
    """Return whether a user is notified of an event, in whatever way."""
    if event.event_type in FOR_ADMINS:
        return recipient.admin
    data = event.data
    if isinstance(data, ArticleEvent):
        return data.game is None or data.game in recipient.played
    if isinstance(data, RequestEvent):
        return data.request in recipient.requests
    return isinstance(data, VersionEvent) and _is_of_interest(event.event_type, data, recipient, tags)


def _is_of_interest(
    event_type: EventType, added: VersionEvent, recipient: Recipient, tags: Mapping[str, Collection[str]]
) -> bool:
    if event_type is EventType.VERSION_ADDED:
        return added.platform in recipient.played.get(added.game, ())
    wanted = recipient.preferences
    of_platform = not wanted.platforms or added.platform in wanted.platforms
    return of_platform and (not wanted.tags or not set(wanted.tags).isdisjoint(tags.get(added.game, ())))


def content_of(events: Sequence[Occurrence]) -> Content:
    """Return what a notification about events of one type says."""
    return _CONTENTS[events[0].event_type]([each.data for each in events])


def _games(versions: Sequence[VersionEvent]) -> Content:
    added = _newest_by_game(versions)
    if len(added) == 1:
        return _one_game(EventType.GAME_ADDED, Message("game-available", game=added[0].game_name), added[0])
    title = Message("games-available", count=len(added))
    return Content(EventType.GAME_ADDED, title, _names([each.game_name for each in added], len(added)), "/store")


def _updates(versions: Sequence[VersionEvent]) -> Content:
    added = _newest_by_game(versions)
    if len(added) == 1:
        title = _one_update(added[0])
        return _one_game(EventType.VERSION_ADDED, title, added[0])
    title = Message("versions-available", count=len(added))
    return Content(EventType.VERSION_ADDED, title, _version_names(added), "/library")


def _one_game(event_type: EventType, title: Message, added: VersionEvent) -> Content:
    return Content(event_type, title, Message("for-platform", platform=added.platform), f"/games/{added.game}")


def _files(event_type: EventType, code: str, link: str, versions: Sequence[VersionEvent]) -> Content:
    return Content(event_type, Message(code, count=len(versions)), _version_names(versions), link)


def _failures(failed: Sequence[TaskEvent]) -> Content:
    if len(failed) == 1:
        [one] = failed
        title = Message("task-has-failed", task=_message(one.name))
        return Content(EventType.TASK_FAILED, title, _message(one.reason), f"/admin/tasks/{one.task}")
    description = _names([_message(each.name) for each in failed], len(failed))
    return Content(EventType.TASK_FAILED, Message("tasks-have-failed", count=len(failed)), description, "/admin/tasks")


def _stuck_queues(waiting: Sequence[TaskEvent]) -> Content:
    """Return what is said about tasks that wait, one of each queue; those before them are in the list, too."""
    if len(waiting) == 1:
        [one] = waiting
        title = Message("task-waits", task=_message(one.name))
        return Content(EventType.TASK_WAITING, title, _message(one.reason), "/admin/tasks")
    names = _names([_message(each.name) for each in waiting], len(waiting))
    return Content(EventType.TASK_WAITING, Message("tasks-wait"), names, "/admin/tasks")


def _folders(found: Sequence[FoldersEvent]) -> Content:
    total = sum(each.count for each in found)
    names = _names([name for each in found for name in each.folders], total)
    return Content(EventType.FOLDERS_FOUND, Message("folders-found", count=total), names, "/admin/import")


def _new_versions(event_type: EventType, code: str, link: str, found: Sequence[NewVersionEvent]) -> Content:
    names = _names([_name_of(each) for each in found], len(found))
    return Content(event_type, Message(code, count=len(found)), names, link)


def _name_of(found: NewVersionEvent) -> str:
    if found.version_name == DEFAULT_VERSION:
        return found.folder
    # Archives are often called like their game.
    says_game = found.version_name.casefold().startswith(found.folder.casefold())
    return found.version_name if says_game else f"{found.folder} {found.version_name}"


def _unavailable(found: Sequence[LibraryEvent]) -> Content:
    link = "/admin/libraries"
    if len(found) == 1:
        [one] = found
        title = Message("library-is-unavailable", library=one.library_name)
        return Content(EventType.LIBRARY_UNAVAILABLE, title, _message(one.reason), link)
    title = Message("libraries-are-unavailable", count=len(found))
    names = _names([each.library_name for each in found], len(found))
    return Content(EventType.LIBRARY_UNAVAILABLE, title, names, link)


def _space(found: Sequence[SpaceEvent]) -> Content:
    return Content(EventType.DISK_LOW, Message("space-runs-out"), _message(found[-1].reason), "/admin")


def _articles(published: Sequence[ArticleEvent]) -> Content:
    if len(published) == 1:
        [one] = published
        return Content(EventType.NEWS_PUBLISHED, Message("names", names=one.title), None, f"/news/{one.article}")
    title = Message("articles-published", count=len(published))
    names = _names([each.title for each in published], len(published))
    return Content(EventType.NEWS_PUBLISHED, title, names, "/news")


def _requests(event_type: EventType, events: Sequence[RequestEvent]) -> Content:
    """Return what is said about requests; one that was answered again is mentioned once."""
    requests = list({each.request: each for each in events}.values())
    if len(requests) == 1:
        [one] = requests
        code = _ONE_REQUEST[one.status if event_type is EventType.REQUEST_ANSWERED else event_type]
        comment = Message("names", names=one.comment) if one.comment else None
        link = f"/games/{one.game}" if event_type is EventType.REQUEST_DONE else "/requests"
        return Content(event_type, Message(code, game=one.name), comment, link)
    title = Message(_REQUESTS[event_type], count=len(requests))
    return Content(event_type, title, _names([each.name for each in requests], len(requests)), "/requests")


def _newest_by_game(versions: Sequence[VersionEvent]) -> list[VersionEvent]:
    return list({each.game: each for each in versions}.values())


def _version_names(versions: Sequence[VersionEvent]) -> Message:
    return _names([_shown(each) for each in versions], len(versions))


def _one_update(added: VersionEvent) -> Message:
    if shown := shown_version(added.version_name, added.label):
        return Message("version-available", game=added.game_name, version=shown)
    return Message("update-available", game=added.game_name)


def _shown(event: VersionEvent) -> str:
    return titled(event.game_name, event.version_name, event.label)


def _names(names: Sequence[str], total: int) -> Message:
    """Return the first names as a sentence that is the same in every language, and how many more there are."""
    listed = ", ".join(names[:_MAX_NAMES])
    more = total - min(len(names), _MAX_NAMES)
    return Message("names-and-more", names=listed, count=more) if more else Message("names", names=listed)


def _message(kept: StoredMessage) -> Message:
    return Message.worded(kept.code or "", kept.text, kept.parameters)


_CONTENTS: Mapping[EventType, Callable[[Sequence[Any]], Content]] = {
    EventType.GAME_ADDED: _games,
    EventType.VERSION_ADDED: _updates,
    EventType.VERSION_DAMAGED: partial(_files, EventType.VERSION_DAMAGED, "damage-found", "/admin/damage"),
    EventType.VERSION_MISSING: partial(_files, EventType.VERSION_MISSING, "versions-missing", "/admin/damage/moved"),
    EventType.FILES_ADDED: partial(_files, EventType.FILES_ADDED, "files-added", "/admin/damage"),
    EventType.TASK_FAILED: _failures,
    EventType.TASK_WAITING: _stuck_queues,
    EventType.FOLDERS_FOUND: _folders,
    EventType.VERSION_FOUND: partial(_new_versions, EventType.VERSION_FOUND, "versions-to-import", "/admin/import"),
    EventType.VERSION_IMPORTED: partial(
        _new_versions, EventType.VERSION_IMPORTED, "versions-imported-by-rules", "/admin/import/runs"
    ),
    EventType.LIBRARY_UNAVAILABLE: _unavailable,
    EventType.DISK_LOW: _space,
    EventType.NEWS_PUBLISHED: _articles,
    EventType.REQUEST_ADDED: partial(_requests, EventType.REQUEST_ADDED),
    EventType.REQUEST_ANSWERED: partial(_requests, EventType.REQUEST_ANSWERED),
    EventType.REQUEST_DONE: partial(_requests, EventType.REQUEST_DONE),
}
