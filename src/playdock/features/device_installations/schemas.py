"""Wire types of installations on devices."""

from typing import Annotated

from msgspec import Meta

from playdock.features.device_installations import rules
from playdock.features.device_installations.queries import DeviceGames, InstalledGame, QueuedGame
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import GameTitle, Id, Timestamp, VersionTitle

_Id = Annotated[Id, Meta(max_length=64)]


class ReportedInstallation(RequestBody):
    """A game on the device: the ids of the game and of the installed version."""

    game: _Id
    version: _Id


class InstallationReport(RequestBody):
    """Everything that is installed on the device.

    Versions that the server does not have are ignored; others are of the game that they belong to now.
    """

    installations: Annotated[
        list[ReportedInstallation],
        Meta(max_length=rules.MAX_INSTALLATIONS, description="A device reports at most 1,000 installations."),
    ]


class QueuedInstallationCreate(RequestBody):
    """The game to install."""

    game: _Id


class InstallationsQuery(Query):
    """Which game to return; all if omitted."""

    game: Annotated[str, Meta(max_length=64, description="The id of a game.")] | None = None


class QueuedInstallationResponse(ResponseBody):
    """A game that a device is to install."""

    game_id: Id
    game_name: GameTitle
    queued: Timestamp

    @classmethod
    def of(cls, game: QueuedGame) -> "QueuedInstallationResponse":
        return cls(game_id=game.game_id, game_name=game.game_name, queued=timestamp(game.queued))


class InstalledVersion(ResponseBody):
    """A version of a game."""

    id: Id
    name: VersionTitle


class InstallationResponse(ResponseBody):
    """A game on a device. `version` is null if the server no longer has it, and `update` if there is no newer one."""

    game_id: Id
    game_name: GameTitle
    version: InstalledVersion | None
    update: InstalledVersion | None

    @classmethod
    def of(cls, game: InstalledGame) -> "InstallationResponse":
        has_update = rules.is_update(game.newest_position, game.position)
        return cls(
            game_id=game.game_id,
            game_name=game.game_name,
            version=_version(game.version_id, game.version_name),
            update=_version(game.newest_id, game.newest_name) if has_update else None,
        )


class DeviceInstallationsResponse(ResponseBody):
    """A device, the games on it by name, and its queue, oldest first. `current` marks the device that asks."""

    id: Id
    name: Annotated[str, Meta(examples=["Ada's laptop"])]
    platform: Annotated[str, Meta(examples=["Linux"])] | None
    seen: Timestamp
    current: Annotated[bool, Meta(examples=[True])]
    installations: list[InstallationResponse]
    queue: list[QueuedInstallationResponse]

    @classmethod
    def of(cls, games: DeviceGames, *, current: str) -> "DeviceInstallationsResponse":
        device = games.device
        return cls(
            id=device.id,
            name=device.name,
            platform=device.platform or None,
            seen=timestamp(device.seen),
            current=device.id == current,
            installations=[InstallationResponse.of(game) for game in games.installed],
            queue=[QueuedInstallationResponse.of(game) for game in games.queued],
        )


def _version(version_id: str | None, name: str | None) -> InstalledVersion | None:
    return InstalledVersion(id=version_id, name=name) if version_id and name else None
