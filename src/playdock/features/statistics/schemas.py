"""Statistics on the wire."""

from typing import Annotated

from msgspec import Meta

from playdock.features.libraries.schemas import BackendKind
from playdock.features.statistics.queries import StoredGame
from playdock.features.statistics.rules import Check, Day, State
from playdock.features.statistics.service import Overview, Stored
from playdock.kit.bodies import Answer


class GameStorage(Answer):
    """How many bytes the versions of a game take in its library, how many there are, and the colour of its cover."""

    id: str
    name: str
    size: int
    versions: int
    colour: Annotated[str | None, Meta(description="As `#rrggbb`; null where the cover has none, or there is none.")]

    @classmethod
    def of(cls, game: StoredGame) -> "GameStorage":
        return cls(id=game.id, name=game.name, size=game.size, versions=game.versions, colour=game.colour)


class StorageLibrary(Answer):
    """A library, and whether its place can be read at this moment."""

    id: str
    name: str
    backend: BackendKind
    working: bool


class LibraryStorage(Answer):
    """How many bytes the games of a library take, the largest first, and how many are free on its disk."""

    library: StorageLibrary
    size: int
    free: Annotated[int | None, Meta(description="Null where nobody can tell at this moment.")]
    games: list[GameStorage]

    @classmethod
    def of(cls, stored: Stored) -> "LibraryStorage":
        row = stored.library
        library = StorageLibrary(
            id=row.id, name=row.name, backend=BackendKind(row.backend), working=not stored.seen.fault
        )
        games = [GameStorage.of(game) for game in stored.games]
        return cls(library=library, size=sum(game.size for game in games), free=stored.seen.free, games=games)


class DayAnswer(Answer):
    """What was sent on a day (UTC): bytes that left, and how many users got something of how many versions."""

    day: str
    bytes: int
    downloads: Annotated[int, Meta(description="What a user got of a version on that day is one download.")]

    @classmethod
    def of(cls, day: Day) -> "DayAnswer":
        return cls(day=day.day.isoformat(), bytes=day.bytes, downloads=day.downloads)


class CheckAnswer(Answer):
    """What was looked at and how it is; the detail tells what is wrong with it and how to mend that."""

    name: str
    state: State
    detail: str

    @classmethod
    def of(cls, check: Check) -> "CheckAnswer":
        return cls(name=check.name, state=check.state, detail=check.detail)


class HealthAnswer(Answer):
    """Whether all is well."""

    checks: list[CheckAnswer]


class StatisticsAnswer(Answer):
    """What the libraries hold, what was sent on each of the last 30 days, oldest first, and whether all is well."""

    storage: list[LibraryStorage]
    days: list[DayAnswer]
    health: HealthAnswer

    @classmethod
    def of(cls, overview: Overview) -> "StatisticsAnswer":
        return cls(
            storage=[LibraryStorage.of(stored) for stored in overview.storage],
            days=[DayAnswer.of(day) for day in overview.days],
            health=HealthAnswer(checks=[CheckAnswer.of(check) for check in overview.checks]),
        )
