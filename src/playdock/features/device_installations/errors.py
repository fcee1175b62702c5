"""Errors about installations on devices."""

from playdock.features.device_installations.rules import MAX_QUEUED
from playdock.kit.errors import Conflict, NotFound


class InstallationQueueFull(Conflict):
    """The device has the maximum number of games in its queue."""

    def __init__(self) -> None:
        super().__init__(f"{MAX_QUEUED} games are waiting to be installed on this device. Remove some, or start it.")


class InstallationNotQueued(NotFound):
    """The game is not in the device's queue."""

    def __init__(self) -> None:
        super().__init__("This game is not in the queue of the device. It may have been installed already.")
