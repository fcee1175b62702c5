"""Moving play records: play time, statuses and notes of people."""

from collections.abc import Mapping
from functools import partial

from msgspec import Struct

from playdock.db.database import Database
from playdock.db.retrying import retry_conflicts
from playdock.features.moving_in import queries
from playdock.features.moving_in.errors import MoveRunning
from playdock.features.moving_in.rules import MovedKind, play_session_rows
from playdock.features.play_records import queries as play_queries
from playdock.kit.clock import Clock
from playdock.other_servers.model import SourcePlayRecord, SourceServer


class MovedPlayRecords(Struct, frozen=True):
    """Moves play records from one kind of server."""

    server: str
    db: Database
    clock: Clock

    def move(self, source: SourceServer, users: Mapping[str, str], games: Mapping[str, str]) -> int:
        """Add the play records of users and games that are here, by their keys; return how many were added."""
        with self.db.read() as session:
            moved = queries.targets(session, self.server, MovedKind.PLAY_RECORD)
        new = [
            each for each in source.play_records if each.user in users and each.game in games and each.key not in moved
        ]
        for each in new:
            retry_conflicts(partial(self._add, each, users[each.user], games[each.game]))
        return len(new)

    def _add(self, record: SourcePlayRecord, user_id: str, game_id: str) -> None:
        """Add the sessions, and what is noted unless something is noted here."""
        with self.db.write() as session:
            if not queries.add(
                session,
                self.server,
                MovedKind.PLAY_RECORD,
                record.key,
                target=f"{user_id}:{game_id}",
                at=self.clock(),
            ):
                raise MoveRunning
            place = {"user_id": user_id, "game_id": game_id, "source": self.server}
            play_queries.add_sessions(session, [place | row for row in play_session_rows(record)])
            if record.status or record.note:
                noted = {"status": record.status, "note": record.note, "changed": self.clock()}
                play_queries.add_moved_record(session, place | noted)
