"""Errors about invitations."""

from playdock.kit.errors import NotFound


class InvitationUnknown(NotFound):
    """The invitation is unknown, used or expired; the error does not disclose which."""

    def __init__(self) -> None:
        super().__init__("This invitation is not valid: it is unknown, used or expired. Ask an admin for a new one.")
