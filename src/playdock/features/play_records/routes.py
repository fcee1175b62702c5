"""``/api/v1/user/play-records`` and ``/api/v1/user/play-sessions``: play time, status and notes of the caller."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import GameUnknown
from playdock.features.play_records.errors import PlaySessionInFuture, PlaySessionUnknown, TooManyPlaySessions
from playdock.features.play_records.schemas import (
    PlayRecordResponse,
    PlayRecordsQuery,
    PlayRecordUpdate,
    PlaySessionResponse,
    PlaySessionsAdded,
    PlaySessionsQuery,
    PlaySessionUpload,
)
from playdock.features.play_records.service import PlayRecords
from playdock.server.routing import delete, get, patch, post

_RECORDS = "/api/v1/user/play-records"
_RECORD = f"{_RECORDS}/{{game_id:str}}"
_SESSIONS = "/api/v1/user/play-sessions"
# A session takes about 200 bytes.
_MAX_UPLOAD_BYTES = 262_144


@get(_RECORDS, requires=Permission.PLAY_READ)
def list_play_records(query: PlayRecordsQuery, actor: Actor, play_records: PlayRecords) -> list[PlayRecordResponse]:
    """List the games that you have played or noted something about, the last played first."""
    return [PlayRecordResponse.of(each) for each in play_records.played(actor, game_id=query.game)]


@patch(_RECORD, requires=Permission.PLAY_UPDATE, raises=[GameUnknown])
def update_play_record(
    game_id: str, data: PlayRecordUpdate, actor: Actor, play_records: PlayRecords
) -> PlayRecordResponse:
    """Change your status or note for a game."""
    return PlayRecordResponse.of(play_records.update(actor, game_id, data))


@delete(_RECORD, requires=Permission.PLAY_UPDATE, raises=[GameUnknown])
def delete_play_record(game_id: str, actor: Actor, play_records: PlayRecords) -> None:
    """Delete your play sessions of a game, its status and its note."""
    play_records.remove(actor, game_id)


@get(f"{_RECORD}/sessions", requires=Permission.PLAY_READ, raises=[GameUnknown])
def list_play_sessions(
    game_id: str, query: PlaySessionsQuery, actor: Actor, play_records: PlayRecords
) -> list[PlaySessionResponse]:
    """List your play sessions of a game, the latest first."""
    found = play_records.sessions(actor, game_id, offset=query.offset, limit=query.limit)
    return [PlaySessionResponse.of(each) for each in found]


@post(
    _SESSIONS,
    requires=Permission.PLAY_UPDATE,
    raises=[PlaySessionInFuture, TooManyPlaySessions],
    max_body_bytes=_MAX_UPLOAD_BYTES,
)
def upload_play_sessions(data: PlaySessionUpload, actor: Actor, play_records: PlayRecords) -> PlaySessionsAdded:
    """Add play sessions that have ended. Those that are known, and those of unknown games, are ignored."""
    return PlaySessionsAdded(added=play_records.add(actor, data.sessions))


@delete(f"{_SESSIONS}/{{session_id:str}}", requires=Permission.PLAY_UPDATE, raises=[PlaySessionUnknown])
def delete_play_session(session_id: str, actor: Actor, play_records: PlayRecords) -> None:
    """Delete one of your play sessions."""
    play_records.remove_session(actor, session_id)


ROUTES = (
    list_play_records,
    update_play_record,
    delete_play_record,
    list_play_sessions,
    upload_play_sessions,
    delete_play_session,
)
