"""What can be wrong with an account."""

from playdock.kit.errors import Conflict, Forbidden, Invalid, NotFound


class UserUnknown(NotFound):
    """No user with this id."""

    def __init__(self) -> None:
        super().__init__("There is no user with this id.")


class UsernameTaken(Conflict):
    """Somebody already has that name, in whatever case."""

    def __init__(self, username: str) -> None:
        super().__init__(f"The user name {username} is taken. Choose another.")


class SimpleOff(Forbidden):
    """Passwords are switched off."""

    def __init__(self) -> None:
        super().__init__("Nobody signs in or up with a password here. Sign in with OpenID instead.")


class LastAdmin(Conflict):
    """Nobody could administrate the service any more."""

    def __init__(self) -> None:
        super().__init__("This is the last enabled admin. Make somebody else an admin first.")


class WrongPassword(Forbidden):
    """The present password was not given."""

    def __init__(self) -> None:
        super().__init__("The present password is not right. Try again, or ask an admin for a reset link.")


class NoPassword(Conflict):
    """The account has no password that could be changed."""

    def __init__(self) -> None:
        super().__init__("This account signs in without a password, so there is none to change.")


class ResetUnknown(NotFound):
    """The reset link is unknown, used or expired."""

    def __init__(self) -> None:
        super().__init__("This link is not valid any more. Ask an admin for a new one.")


class PictureRefused(Invalid):
    """The uploaded bytes are not a picture that can be taken."""
