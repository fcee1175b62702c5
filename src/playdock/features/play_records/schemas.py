"""Wire types of play records."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.domain.play_records.rules import PlayStatus
from playdock.features.play_records.queries import ListedSession, PlayedGame
from playdock.features.play_records.rules import MAX_NOTE, MAX_SECONDS, MAX_UPLOADED
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import GameTitle, Id, Offset, Timestamp, VersionTitle

MAX_LISTED = 200
SessionId = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_.:-]+$(?!\n)",
        max_length=64,
        description="An id that the caller chooses: 1 to 64 letters, digits and `_.:-`.",
        examples=["3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"],
    ),
]
_Seconds = Annotated[int, Meta(examples=[5400])]
_Status = Annotated[PlayStatus | None, Meta(description="What you do with the game; null without a status.")]


class RecordedSession(RequestBody):
    """A run of a game. `version` is the id of the version, if it is known."""

    id: SessionId
    game: Annotated[Id, Meta(max_length=64)]
    started: Annotated[
        datetime,
        Meta(
            description="When the game was started.",
            tz=True,
            examples=["2026-11-20T05:38:00.000Z"],
            extra_json_schema={"format": "date-time"},
        ),
    ]
    seconds: Annotated[int, Meta(ge=0, le=MAX_SECONDS, description="For how long it ran.", examples=[5400])]
    version: Annotated[Id, Meta(max_length=64)] | None = None


class PlaySessionUpload(RequestBody):
    """Play sessions that have ended."""

    sessions: Annotated[
        list[RecordedSession], Meta(max_length=MAX_UPLOADED, description="At most 500 sessions at a time.")
    ]


class PlaySessionsAdded(ResponseBody):
    """How many play sessions were new."""

    added: Annotated[int, Meta(examples=[2])]


class PlayRecordsQuery(Query):
    """Which game to return; all if omitted."""

    game: Annotated[str, Meta(max_length=64, description="The id of a game.")] | None = None


class PlaySessionsQuery(Query):
    """Which play sessions to return."""

    offset: Offset = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_LISTED)] = 50


class PlayRecordUpdate(RequestBody):
    """What you note about a game. What is omitted remains as it is."""

    status: _Status | UnsetType = UNSET
    note: (
        Annotated[
            str, Meta(max_length=MAX_NOTE, description="A note of at most 10,000 characters.", examples=["Save first."])
        ]
        | UnsetType
    ) = UNSET


class PlayRecordResponse(ResponseBody):
    """How long you have played a game, in seconds, and what you note about it.

    `lastPlayed` is when the last run began, null if that is unknown.
    """

    game_id: Id
    game_name: GameTitle
    seconds: _Seconds
    last_played: Timestamp | None
    status: _Status
    note: Annotated[str, Meta(examples=["Save before the lab."])]

    @classmethod
    def of(cls, played: PlayedGame) -> "PlayRecordResponse":
        return cls(
            game_id=played.game_id,
            game_name=played.game_name,
            seconds=played.seconds,
            last_played=timestamp(played.last_played) if played.last_played else None,
            status=PlayStatus(played.status) if played.status else None,
            note=played.note,
        )


class PlaySessionResponse(ResponseBody):
    """A run of a game, or the play time that was moved from another server.

    `started` is null if it is unknown, `version` and `device` also if the server no longer has them. `source` is the
    kind of server from which it was moved.
    """

    id: SessionId
    started: Timestamp | None
    seconds: _Seconds
    version: VersionTitle | None
    device: Annotated[str, Meta(examples=["Ada's laptop"])] | None
    source: Annotated[str, Meta(examples=["drop"])] | None

    @classmethod
    def of(cls, listed: ListedSession) -> "PlaySessionResponse":
        row = listed.session
        return cls(
            id=row.id,
            started=timestamp(row.started) if row.started else None,
            seconds=row.seconds,
            version=listed.version,
            device=listed.device,
            source=row.source,
        )
