"""Why somebody cannot sign in, or a session cannot be ended."""

from playdock.kit.errors import Forbidden, NotFound, Unauthenticated


class WrongCredentials(Unauthenticated):
    """User name and password do not belong together."""

    def __init__(self) -> None:
        super().__init__("User name or password is wrong. Try again, or ask an admin for a reset link.")


class AccountDisabled(Forbidden):
    """The account exists and is switched off."""

    def __init__(self) -> None:
        super().__init__("This account is disabled. Ask an admin to enable it.")


class SessionUnknown(NotFound):
    """No session of the caller has this id."""

    def __init__(self) -> None:
        super().__init__("You have no session with this id.")
