"""Errors about accounts."""

from playdock.kit.errors import Conflict, Forbidden, Invalid, NotFound
from playdock.kit.messages import Message


class UserUnknown(NotFound):
    """No user has this id."""

    def __init__(self) -> None:
        super().__init__("There is no user with this id.")


class UsernameTaken(Conflict):
    """The user name is taken, ignoring case."""

    def __init__(self, username: str) -> None:
        super().__init__(f"The user name {username} is taken. Choose another.")


class PasswordSignInDisabled(Forbidden):
    """Password sign-in is disabled."""

    def __init__(self) -> None:
        super().__init__("Password sign-in is disabled on this server. Sign in with OpenID instead.")


class LastAdmin(Conflict):
    """The change would leave the service without an enabled admin."""

    def __init__(self) -> None:
        super().__init__("This is the last enabled admin. Make someone else an admin first.")


class WrongPassword(Forbidden):
    """The current password is incorrect."""

    def __init__(self) -> None:
        super().__init__("The current password is incorrect. Try again, or ask an admin for a reset link.")


class NoPassword(Conflict):
    """The account has no password."""

    def __init__(self) -> None:
        super().__init__("This account has no password. Sign in with single sign-on.")


class ResetUnknown(NotFound):
    """The reset link is unknown, used or expired."""

    def __init__(self) -> None:
        super().__init__("This link is no longer valid. Ask an admin for a new one.")


class PictureRefused(Invalid):
    """The uploaded picture is not acceptable."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason, parameters={"reason": reason})
