"""Wire types of the reports."""

from typing import Annotated

from msgspec import Meta

from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.transfers.rules import Day
from playdock.features.reports.queries import StoredGame
from playdock.features.reports.rules import Check, CheckState
from playdock.features.reports.service import LibraryUsage, ServerOverview
from playdock.kit.bodies import ResponseBody
from playdock.kit.fields import Bytes, GameTitle, Id, MessageCode, MessageParameters
from playdock.kit.messages import code_of, parameters_of


class GameStorage(ResponseBody):
    """A game's storage: the total size and number of its versions, and the color of its cover."""

    id: Id
    name: GameTitle
    size: Bytes
    versions: Annotated[int, Meta(examples=[1])]
    colour: Annotated[
        str | None,
        Meta(
            description="The cover's color as `#rrggbb`; null without a cover or if unknown.",
            examples=["#3d6a9e"],
        ),
    ]

    @classmethod
    def of(cls, game: StoredGame) -> "GameStorage":
        return cls(id=game.id, name=game.name, size=game.size, versions=game.versions, colour=game.color)


class StorageLibrary(ResponseBody):
    """A library, and whether its folder can currently be read."""

    id: Id
    name: Annotated[str, Meta(examples=["Games"])]
    backend: BackendKind
    working: Annotated[bool, Meta(examples=[True])]


class LibraryStorage(ResponseBody):
    """A library's storage: its totals, the free space on its disk, and games, largest first.

    The games are those among the 100 largest of all libraries.
    """

    library: StorageLibrary
    size: Bytes
    game_count: Annotated[int, Meta(examples=[312])]
    version_count: Annotated[int, Meta(examples=[340])]
    free: Annotated[
        int | None, Meta(description="Free bytes on the disk; null if currently unknown.", examples=[512_110_190_592])
    ]
    games: list[GameStorage]

    @classmethod
    def of(cls, usage: LibraryUsage) -> "LibraryStorage":
        row = usage.library
        library = StorageLibrary(
            id=row.id, name=row.name, backend=BackendKind(row.backend), working=not usage.disk.fault
        )
        return cls(
            library=library,
            size=usage.total.size,
            game_count=usage.total.games,
            version_count=usage.total.versions,
            free=usage.disk.free,
            games=[GameStorage.of(game) for game in usage.largest],
        )


class DayResponse(ResponseBody):
    """The bytes sent and the number of downloads on a day (UTC)."""

    day: Annotated[str, Meta(examples=["2026-11-20"])]
    bytes: Annotated[int, Meta(examples=[1_486_013_860])]
    downloads: Annotated[
        int, Meta(description="One user downloading from one version on this day counts as one download.", examples=[2])
    ]

    @classmethod
    def of(cls, day: Day) -> "DayResponse":
        return cls(day=day.day.isoformat(), bytes=day.bytes, downloads=day.downloads)


class CheckResponse(ResponseBody):
    """A health check and its result; `detail` says what is wrong and how to fix it."""

    name: Annotated[str, Meta(examples=["Library Games"])]
    state: CheckState
    detail: Annotated[str, Meta(examples=["Its folder can be read."])]
    name_code: MessageCode | None
    name_parameters: MessageParameters
    detail_code: MessageCode | None
    detail_parameters: MessageParameters

    @classmethod
    def of(cls, check: Check) -> "CheckResponse":
        return cls(
            name=str(check.name),
            state=check.state,
            detail=str(check.detail),
            name_code=code_of(check.name),
            name_parameters=parameters_of(check.name),
            detail_code=code_of(check.detail),
            detail_parameters=parameters_of(check.detail),
        )


class HealthResponse(ResponseBody):
    """The health checks of the server."""

    checks: list[CheckResponse]


class StatisticsResponse(ResponseBody):
    """Storage use by library, downloads on each of the last 30 days (oldest first), and health checks."""

    storage: list[LibraryStorage]
    days: list[DayResponse]
    health: HealthResponse

    @classmethod
    def of(cls, overview: ServerOverview) -> "StatisticsResponse":
        return cls(
            storage=[LibraryStorage.of(usage) for usage in overview.storage],
            days=[DayResponse.of(day) for day in overview.days],
            health=HealthResponse(checks=[CheckResponse.of(check) for check in overview.checks]),
        )
