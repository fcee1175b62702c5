"""Errors about tokens."""

from playdock.kit.errors import Conflict, Forbidden, NotFound


class TokenUnknown(NotFound):
    """The user has no token with this id."""

    def __init__(self) -> None:
        super().__init__("There is no token with this id.")


class TooManyTokens(Conflict):
    """The owner has the maximum number of unexpired tokens."""

    def __init__(self) -> None:
        super().__init__("You have reached the maximum number of API tokens. Revoke some, or wait until some expire.")


class PermissionNotHeld(Forbidden):
    """The owner does not have the requested permissions."""

    def __init__(self, acls: list[str]) -> None:
        super().__init__(f"A token cannot have more permissions than you have. Remove {', '.join(acls)}.")
