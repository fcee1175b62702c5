"""What can be wrong with a token."""

from playdock.kit.errors import Forbidden, NotFound


class TokenUnknown(NotFound):
    """No token of the caller has this id."""

    def __init__(self) -> None:
        super().__init__("You have no token with this id.")


class AclNotYours(Forbidden):
    """Rights were asked for that the owner does not have."""

    def __init__(self, acls: list[str]) -> None:
        super().__init__(f"A token cannot have more rights than you: leave out {', '.join(acls)}.")
