"""Why a mechanism cannot be taken away."""

from playdock.kit.errors import Conflict, NotFound


class MechanismUnknown(NotFound):
    """The caller has no such way to sign in."""

    def __init__(self) -> None:
        super().__init__("You have no such way to sign in.")


class LastMechanism(Conflict):
    """The caller could not sign in any more."""

    def __init__(self) -> None:
        super().__init__("This is your last way to sign in. Add another first.")
