"""Errors about signing in and about sessions."""

from playdock.kit.errors import Forbidden, NotFound, Unauthenticated


class WrongCredentials(Unauthenticated):
    """The user name or the password is wrong."""

    def __init__(self) -> None:
        super().__init__("Incorrect user name or password. Try again, or ask an admin for a reset link.")


class AccountDisabled(Forbidden):
    """The account is disabled."""

    def __init__(self) -> None:
        super().__init__("This account is disabled. Ask an admin to enable it.")


class SessionUnknown(NotFound):
    """The user has no session with this id."""

    def __init__(self) -> None:
        super().__init__("There is no session with this id.")
