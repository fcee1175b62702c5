"""Errors about removing a sign-in method."""

from playdock.kit.errors import Conflict, NotFound


class SignInMethodUnknown(NotFound):
    """The caller does not have this sign-in method."""

    def __init__(self) -> None:
        super().__init__("Your account does not have this sign-in method.")


class LastSignInMethod(Conflict):
    """The caller would be unable to sign in."""

    def __init__(self) -> None:
        super().__init__("This is your last sign-in method. Add another one first.")
