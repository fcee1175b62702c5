"""Moving play records: play time, statuses and notes of people.

People go on playing at the other server until everybody has moved, so later runs add what has come since.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.db.database import Database
from playdock.db.retrying import retry_conflicts
from playdock.features.moving_in import queries
from playdock.features.moving_in.errors import MoveRunning
from playdock.features.moving_in.rules import MovedKind, play_session_row, session_target
from playdock.features.play_records import queries as play_queries
from playdock.kit.clock import Clock
from playdock.other_servers.model import SourcePlayRecord, SourceServer, SourceSession


class MovedPlayTime(Struct, frozen=True):
    """How many play sessions were added or are longer now, and how many statuses and notes were added."""

    sessions: int = 0
    notes: int = 0


class MovedPlayRecords(Struct, frozen=True):
    """Moves play records from one kind of server."""

    server: str
    db: Database
    clock: Clock

    def move(self, source: SourceServer, users: Mapping[str, str], games: Mapping[str, str]) -> MovedPlayTime:
        """Add what is new in the play records of users and games that are here, by their keys."""
        with self.db.read() as session:
            sessions = queries.targets(session, self.server, MovedKind.PLAY_SESSION)
            notes = queries.targets(session, self.server, MovedKind.PLAY_RECORD)
            lengths = play_queries.lengths_of_moved(session, source=self.server)
        added = MovedPlayTime()
        for record in source.play_records:
            if record.user not in users or record.game not in games:
                continue
            user_id = users[record.user]
            new = [each for each in record.sessions if _key(record, each) not in sessions]
            longer = [each for each in record.sessions if each.seconds > lengths.get((user_id, each.key), each.seconds)]
            is_noted = bool(record.status or record.note) and record.key not in notes
            if new or longer or is_noted:
                place = {"user_id": user_id, "game_id": games[record.game], "source": self.server}
                inserted = retry_conflicts(partial(self._add, record, place, new, longer, is_noted=is_noted))
                added = MovedPlayTime(added.sessions + inserted + len(longer), added.notes + is_noted)
        return added

    def _add(
        self,
        record: SourcePlayRecord,
        place: dict[str, Any],
        new: Sequence[SourceSession],
        longer: Sequence[SourceSession],
        *,
        is_noted: bool,
    ) -> int:
        """Add sessions, let others become longer, and add what is noted unless something is noted here.

        Return how many sessions were added. Those that are here already were not moved, and stay after an undo.
        """
        user_id, game_id, inserted = place["user_id"], place["game_id"], 0
        with self.db.write() as session:
            for each in new:
                if play_queries.add_session(session, place | play_session_row(each)):
                    target = session_target(user_id, each.key)
                    self._record(session, MovedKind.PLAY_SESSION, _key(record, each), target)
                    inserted += 1
            for each in longer:
                play_queries.set_length(session, user_id, each.key, seconds=each.seconds, started=each.started)
            if is_noted:
                self._record(session, MovedKind.PLAY_RECORD, record.key, f"{user_id}:{game_id}")
                noted = {"status": record.status, "note": record.note, "changed": self.clock()}
                play_queries.add_moved_record(session, place | noted)
        return inserted

    def _record(self, session: Session, kind: MovedKind, key: str, target: str) -> None:
        if not queries.add(session, self.server, kind, key, target=target, at=self.clock()):
            raise MoveRunning


def _key(record: SourcePlayRecord, of_record: SourceSession) -> str:
    return f"{record.user}:{of_record.key}"
