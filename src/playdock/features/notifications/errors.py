"""Errors about notifications."""

from playdock.kit.errors import NotFound


class NotificationUnknown(NotFound):
    """The caller has no notification with this id."""

    def __init__(self) -> None:
        super().__init__("You have no notification with this id. It may have been deleted.")
