"""Reporting, queuing and acknowledging installations."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.errors import SignInRequired
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.games.errors import GameUnknown
from playdock.features.accounts.service import lock_caller
from playdock.features.device_installations import queries, rules
from playdock.features.device_installations.errors import InstallationNotQueued, InstallationQueueFull
from playdock.features.device_installations.queries import DeviceGames, InstalledGame, QueuedGame
from playdock.features.device_installations.schemas import ReportedInstallation
from playdock.features.devices import queries as device_queries
from playdock.features.devices.errors import DeviceUnknown
from playdock.kit.clock import Clock


class DeviceInstallations(Struct, frozen=True):
    """Operations on what is installed on the caller's devices."""

    db: Database
    clock: Clock

    def of_devices(self, actor: Actor, *, game_id: str | None) -> list[DeviceGames]:
        """Return the caller's devices, last used first, with all their games or only one."""
        actor.require(Permission.CLIENTS_READ)
        installed: defaultdict[str, list[InstalledGame]] = defaultdict(list)
        queued: defaultdict[str, list[QueuedGame]] = defaultdict(list)
        with self.db.read() as session:
            # Drop's clients neither report installations nor read a queue.
            devices = [each for each in device_queries.of_user(session, actor.user.id) if not each.certificate]
            ids = [device.id for device in devices]
            for game in queries.installed(session, ids, game_id=game_id):
                installed[game.device_id].append(game)
            for each in queries.queued(session, ids, game_id=game_id):
                queued[each.device_id].append(each)
        return [DeviceGames(device, installed[device.id], queued[device.id]) for device in devices]

    def enqueue(self, actor: Actor, device_id: str, game_id: str) -> None:
        """Queue the installation of a game on one of the caller's devices; does nothing if it is in the queue.

        Raises:
            DeviceUnknown, GameUnknown: the caller has no such device, or there is no such game.
            InstallationQueueFull: too many games are in the queue.
        """
        actor.require(Permission.CLIENTS_INSTALL)
        with self.db.write() as session:
            lock_caller(session, actor)
            _require_own(session, actor, device_id)
            if not queries.game_exists(session, game_id):
                raise GameUnknown
            is_new = not queries.queued(session, [device_id], game_id=game_id)
            if is_new and queries.count_queued(session, device_id) >= rules.MAX_QUEUED:
                raise InstallationQueueFull
            queries.enqueue(session, device_id, game_id, at=self.clock())

    def dequeue(self, actor: Actor, device_id: str, game_id: str) -> None:
        """Remove a game from the queue of one of the caller's devices.

        Raises:
            DeviceUnknown, InstallationNotQueued: the caller has no such device, or the game is not in its queue.
        """
        actor.require(Permission.CLIENTS_INSTALL)
        with self.db.write() as session:
            _require_own(session, actor, device_id)
            if not queries.dequeue(session, device_id, game_id):
                raise InstallationNotQueued

    def queue(self, actor: Actor) -> Sequence[QueuedGame]:
        """Return the queue of the device that calls, oldest first."""
        actor.require_device()
        with self.db.read() as session:
            return queries.queued(session, [actor.credential.id])

    def acknowledge(self, actor: Actor, game_id: str) -> None:
        """Remove a game from the queue of the device that calls, whether or not it is there."""
        actor.require_device()
        with self.db.write() as session:
            queries.dequeue(session, actor.credential.id, game_id)

    def report(self, actor: Actor, installations: Sequence[ReportedInstallation]) -> None:
        """Replace what is installed on the device that calls. Games that the server does not have are ignored.

        Raises:
            SignInRequired: the device has been signed out, or its user has been deleted or disabled.
        """
        actor.require_device()
        with self.db.write() as session:
            # Reports of one device replace each other one at a time.
            lock_caller(session, actor)
            if not queries.owns(session, actor.user.id, actor.credential.id):
                raise SignInRequired
            games = queries.games_of_versions(session, {each.version for each in installations})
            # A version that has moved to another game since it was installed is one of that game.
            moved_first = sorted(installations, key=lambda each: games.get(each.version) == each.game)
            versions = {games[each.version]: each.version for each in moved_first if each.version in games}
            queries.replace_installations(session, actor.credential.id, versions)


def _require_own(session: Session, actor: Actor, device_id: str) -> None:
    if not queries.owns(session, actor.user.id, device_id):
        raise DeviceUnknown
