"""Installations on devices: for users ``/api/v1/user/…``, for the client on a device ``/api/v1/client/…``."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import GameUnknown
from playdock.features.device_installations.errors import InstallationNotQueued, InstallationQueueFull
from playdock.features.device_installations.schemas import (
    DeviceInstallationsResponse,
    InstallationReport,
    InstallationsQuery,
    QueuedInstallationCreate,
    QueuedInstallationResponse,
)
from playdock.features.device_installations.service import DeviceInstallations
from playdock.features.devices.errors import DeviceUnknown
from playdock.server.routing import Caller, delete, get, post, put

_QUEUE = "/api/v1/client/queue"
_QUEUE_OF_DEVICE = "/api/v1/user/client/{device_id:str}/queue"
# An installation takes about 110 bytes.
_MAX_REPORT_BYTES = 262_144


@get("/api/v1/user/installations", requires=Permission.CLIENTS_READ)
def list_installations(
    query: InstallationsQuery, actor: Actor, installations: DeviceInstallations
) -> list[DeviceInstallationsResponse]:
    """List your devices, last used first, with what is installed on them and what is in their queues."""
    listed = installations.of_devices(actor, game_id=query.game)
    return [DeviceInstallationsResponse.of(each, current=actor.credential.id) for each in listed]


@post(
    _QUEUE_OF_DEVICE,
    requires=Permission.CLIENTS_INSTALL,
    status=204,
    raises=[DeviceUnknown, GameUnknown, InstallationQueueFull],
)
def queue_installation(
    device_id: str, data: QueuedInstallationCreate, actor: Actor, installations: DeviceInstallations
) -> None:
    """Queue the installation of a game on one of your devices. Its client installs the game when it runs."""
    installations.enqueue(actor, device_id, data.game)


@delete(
    f"{_QUEUE_OF_DEVICE}/{{game_id:str}}",
    requires=Permission.CLIENTS_INSTALL,
    raises=[DeviceUnknown, InstallationNotQueued],
)
def remove_queued_installation(device_id: str, game_id: str, actor: Actor, installations: DeviceInstallations) -> None:
    """Remove a game from the queue of one of your devices."""
    installations.dequeue(actor, device_id, game_id)


@get(_QUEUE, requires=Caller.DEVICE)
def list_queue(actor: Actor, installations: DeviceInstallations) -> list[QueuedInstallationResponse]:
    """List the games that this device is to install, oldest first, at most 100."""
    return [QueuedInstallationResponse.of(game) for game in installations.queue(actor)]


@delete(f"{_QUEUE}/{{game_id:str}}", requires=Caller.DEVICE)
def acknowledge_installation(game_id: str, actor: Actor, installations: DeviceInstallations) -> None:
    """Remove a game from the queue of this device, because its installation has started or is impossible."""
    installations.acknowledge(actor, game_id)


@put("/api/v1/client/installations", requires=Caller.DEVICE, status=204, max_body_bytes=_MAX_REPORT_BYTES)
def report_installations(report: InstallationReport, actor: Actor, installations: DeviceInstallations) -> None:
    """Replace what is installed on this device."""
    installations.report(actor, report.installations)


ROUTES = (
    list_installations,
    queue_installation,
    remove_queued_installation,
    list_queue,
    acknowledge_installation,
    report_installations,
)
