"""Recording play sessions, and what a person notes about games."""

from collections.abc import Sequence

from msgspec import UNSET, Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor, CredentialKind
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.games.errors import GameUnknown
from playdock.features.accounts.service import lock_caller
from playdock.features.play_records import queries, rules
from playdock.features.play_records.errors import PlaySessionInFuture, PlaySessionUnknown, TooManyPlaySessions
from playdock.features.play_records.queries import ListedSession, PlayedGame
from playdock.features.play_records.schemas import PlayRecordUpdate, RecordedSession
from playdock.kit.clock import Clock


class PlayRecords(Struct, frozen=True):
    """Operations on the caller's own play records."""

    db: Database
    clock: Clock

    def played(self, actor: Actor, *, game_id: str | None) -> Sequence[PlayedGame]:
        """Return the games that the caller has played or noted something about, the last played first."""
        actor.require(Permission.PLAY_READ)
        with self.db.read() as session:
            return queries.played(session, actor.user.id, game_id=game_id)

    def sessions(self, actor: Actor, game_id: str, *, offset: int, limit: int) -> Sequence[ListedSession]:
        """Return the caller's play sessions of a game, the latest first.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.PLAY_READ)
        with self.db.read() as session:
            _require_game(session, game_id)
            return queries.sessions_of(session, actor.user.id, game_id, offset=offset, limit=limit)

    def add(self, actor: Actor, sessions: Sequence[RecordedSession]) -> int:
        """Add play sessions, and return how many were new. Those of games that the server does not have are ignored.

        Raises:
            PlaySessionInFuture: one ends in the future; none is added.
            TooManyPlaySessions: the caller would have too many; none is added.
        """
        actor.require(Permission.PLAY_UPDATE)
        if (future := rules.from_the_future(sessions, now=self.clock())) is not None:
            raise PlaySessionInFuture(future)
        credential = actor.credential
        with self.db.write() as session:
            lock_caller(session, actor)
            is_device = credential.kind is CredentialKind.DEVICE and queries.has_device(session, credential.id)
            games = queries.known_games(session, {each.game for each in sessions})
            versions = queries.games_of_versions(session, {each.version for each in sessions if each.version})
            rows = (
                {
                    "user_id": actor.user.id,
                    "id": each.id,
                    "game_id": each.game,
                    "version_id": each.version if each.version and versions.get(each.version) == each.game else None,
                    "device_id": credential.id if is_device else None,
                    "started": rules.start_of(each.started),
                    "seconds": each.seconds,
                }
                for each in sessions
                if each.game in games
            )
            added = queries.add_sessions(session, rows)
            if added and queries.count_sessions(session, actor.user.id) > rules.MAX_SESSIONS:
                raise TooManyPlaySessions
        return added

    def add_ended(self, actor: Actor, sessions: Sequence[RecordedSession]) -> list[str]:
        """Add the play sessions that do not end in the future, and return their ids. Raises TooManyPlaySessions."""
        actor.require(Permission.PLAY_UPDATE)
        ended = [each for each in sessions if rules.from_the_future([each], now=self.clock()) is None]
        self.add(actor, ended)
        return [each.id for each in ended]

    def update(self, actor: Actor, game_id: str, update: PlayRecordUpdate) -> PlayedGame:
        """Change what the caller notes about a game.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.PLAY_UPDATE)
        with self.db.write() as session:
            lock_caller(session, actor)
            _require_game(session, game_id)
            before = _played(session, actor, game_id)
            status = before.status if update.status is UNSET else update.status
            note = before.note if update.note is UNSET else update.note.strip()
            if status is None and not note:
                queries.remove_record(session, actor.user.id, game_id)
            else:
                values = {"status": status, "note": note, "changed": self.clock(), "source": None}
                queries.put_record(session, actor.user.id, game_id, values)
            return _played(session, actor, game_id)

    def remove(self, actor: Actor, game_id: str) -> None:
        """Delete the caller's play sessions of a game, and what the caller notes about it.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.PLAY_UPDATE)
        with self.db.write() as session:
            _require_game(session, game_id)
            queries.remove_game(session, actor.user.id, game_id)

    def remove_session(self, actor: Actor, session_id: str) -> None:
        """Delete a play session of the caller.

        Raises:
            PlaySessionUnknown: the caller has no such session.
        """
        actor.require(Permission.PLAY_UPDATE)
        with self.db.write() as session:
            if not queries.remove_session(session, actor.user.id, session_id):
                raise PlaySessionUnknown


def _require_game(session: Session, game_id: str) -> None:
    if not queries.game_exists(session, game_id):
        raise GameUnknown


def _played(session: Session, actor: Actor, game_id: str) -> PlayedGame:
    """Return what is known of a game and the caller, which may be nothing."""
    found = queries.played(session, actor.user.id, game_id=game_id)
    return found[0] if found else PlayedGame(game_id, queries.name_of(session, game_id))
