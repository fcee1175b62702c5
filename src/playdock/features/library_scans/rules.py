"""Pure decisions of scans: whether files are still being copied, and what is imported without a person."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from heapq import nsmallest
from typing import TypeVar

from msgspec import Struct

from playdock.content.folder_state import FolderState
from playdock.content.naming import sort_name, title
from playdock.content.releases import says_more
from playdock.domain.found_versions.queries import MIN_DISTANCE, Look, Place
from playdock.kit.messages import Message

# Longer than clocks of file servers are wrong, including those that are set to another time zone.
_LONG_AGO = timedelta(days=1)
# For so long, files may not be readable because they are still being copied.
_UNREADABLE = timedelta(minutes=5)
# See `FolderState`. In S3, the ETags instead of the time.
_FIELDS_OF_FILES = 3
# Of 10,000 versions all are looked at within two days then, and a scan takes hardly longer.
_MAX_CHECKED = 200
_BETWEEN_VERIFICATIONS = timedelta(days=1)
_Row = TypeVar("_Row")
# For how long rules wait for a provider that cannot be asked. It is asked again after half an hour.
_PROVIDERS_AWAITED = timedelta(minutes=45)


def look(
    previous: Look | None,
    state: FolderState | None,
    *,
    at: datetime,
    quiet: timedelta,
    placed: datetime | None = None,
) -> Look:
    """Return what is known of a version after looking at its files; ``state`` is None if they could not be read.

    If the files differ from those seen before, they have changed in between, at about the time that the file system
    recorded. What was uploaded or unpacked is complete since it was ``placed``, unless it has changed since.
    """
    if state is None:
        since = previous.seen if previous and not previous.fingerprint else at
        # The plan says that it cannot be read, so that somebody can change that.
        return Look("", since, since, None if at - since >= _UNREADABLE else at + quiet)
    recorded = min(datetime.fromtimestamp(state.changed, UTC), at)
    is_complete = placed is not None and state.changed <= placed.timestamp()
    if is_complete or (previous is None and at - recorded >= _LONG_AGO):
        return Look(state.fingerprint, at, recorded, None)
    if previous is None:
        return _unsettled(state.fingerprint, seen=at, changed=recorded, at=at, quiet=quiet)
    if state.fingerprint != previous.fingerprint:
        # Of what was settled, nobody knows when it was looked at last.
        earliest = previous.seen if previous.due is not None else at
        changed = min(max(recorded, earliest), at)
        return _unsettled(state.fingerprint, seen=at, changed=changed, at=at, quiet=quiet)
    # Both are later than now if the clock has been set back.
    seen, changed = min(previous.seen, at), min(previous.changed, at)
    unsettled = _unsettled(state.fingerprint, seen=seen, changed=changed, at=at, quiet=quiet)
    if unsettled.due is not None and unsettled.due <= at:
        return Look(state.fingerprint, seen, changed, None)
    return unsettled


def recheck(known: Look, decided: datetime | None, state: FolderState, *, at: datetime) -> Look:
    """Return what is known of an imported version after looking at its files, which are rarely changed.

    Files that differ from those seen before are still being changed, perhaps. They have changed if they are the same
    the next time.
    """
    if _is_comparable(known.fingerprint, state.fingerprint) and not same_files(known.fingerprint, state.fingerprint):
        return Look(state.fingerprint, at, known.changed, None)
    is_confirmed = decided is not None and known.seen > decided and known.fingerprint != ""
    return Look(state.fingerprint, known.seen, known.seen if is_confirmed else known.changed, None)


def is_unconfirmed(known: Look, decided: datetime | None) -> bool:
    """Return whether files of an imported version differed when they were looked at last, and may still be changed."""
    return decided is not None and known.changed <= decided < known.seen


def same_files(fingerprint: str, other: str) -> bool:
    """Return whether the regular files of two states have the same number, size and newest modification time."""
    return fingerprint.split(" ")[-_FIELDS_OF_FILES:] == other.split(" ")[-_FIELDS_OF_FILES:]


def _is_comparable(fingerprint: str, other: str) -> bool:
    """Return whether two states have the same form: earlier releases had another one, and nothing is known at first."""
    return len(fingerprint.split(" ")) == len(other.split(" "))


def to_check(checked: Mapping[_Row, datetime | None], *, before: datetime) -> list[_Row]:
    """Return the versions to look at again: those first that were not looked at for the longest time, and not all.

    Nothing if some were looked at a moment ago: scans that something has triggered follow each other closely.
    """
    if any(at is not None and at > before for at in checked.values()):
        return []
    return nsmallest(_MAX_CHECKED, checked, key=lambda row: (checked[row] is not None, checked[row] or before))


def may_verify(verified: datetime | None, *, at: datetime) -> bool:
    """Return whether a version whose files have changed is verified now. Each time, all of it is read."""
    return verified is None or at - verified >= _BETWEEN_VERIFICATIONS


def _unsettled(fingerprint: str, *, seen: datetime, changed: datetime, at: datetime, quiet: timedelta) -> Look:
    """Return a look that is due again when the version can be offered, or if it is, when it is settled."""
    settled = max(changed + quiet, seen + MIN_DISTANCE)
    offered = Look(fingerprint, seen, changed, settled).offered_at
    return Look(fingerprint, seen, changed, settled if at >= offered else min(offered, settled))


def asked_at(seen: datetime) -> datetime:
    """Return when a person is asked about what waits since a moment for providers, or cannot be read."""
    return seen + _PROVIDERS_AWAITED


def not_asked_since(now: datetime) -> datetime:
    """Return the moment since which found folders still wait for providers."""
    return now - _PROVIDERS_AWAITED


def waits_too_long(seen: datetime, now: datetime) -> bool:
    """Return whether something has waited so long for providers, or could not be read, that a person is asked."""
    return now >= asked_at(seen)


def by_title(games: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return games, given by id and folder, by the titles of their folders without case and accents."""
    found: dict[str, dict[str, str]] = {}
    for path, game_id in games.items():
        found.setdefault(sort_name(title(path)), {})[path] = game_id
    return found


def game_of_title(folder: str, titles: Mapping[str, Mapping[str, str]]) -> str | None:
    """Return the id of the only game with a folder of the same title; None if names say more than that and a version.

    Another edition, a demo and a game of another year are other games.
    """
    same = titles.get(sort_name(title(folder)), {})
    is_one = len(set(same.values())) == 1
    alike = (
        game_id
        for path, game_id in same.items()
        if not says_more(folder, game=path) and not says_more(path, game=folder)
    )
    return next(alike, None) if is_one else None


class Again(Enum):
    """When a rule is applied to a version again."""

    NEVER = auto()
    SOON = auto()
    NEXT_SCAN = auto()


class Attempt(Struct, frozen=True):
    """The task that imports a version because of a rule, or why there is none; neither if no rule applies."""

    task_id: str | None = None
    reason: Message | None = None
    again: Again = Again.NEVER


class LibraryContent(Struct, frozen=True):
    """The versions that are on disk in a library, those that are not ignored, and the games that cannot be read."""

    present: dict[str, list[str]]
    versions: dict[str, list[str]]
    unreadable: set[str]

    def places(self) -> set[Place]:
        return {Place(path, version) for path, versions in self.versions.items() for version in versions}
