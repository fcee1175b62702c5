"""Errors about download links."""

from playdock.kit.errors import Conflict, NotFound


class TooManyLinks(Conflict):
    """The caller has the maximum number of unexpired links."""

    def __init__(self) -> None:
        super().__init__("You have reached the maximum number of links. Revoke some, or wait until some expire.")


class LinkUnknown(NotFound):
    """No link of the caller has this id."""

    def __init__(self) -> None:
        super().__init__("You have no link with this id.")


class LinkUsedUp(NotFound):
    """The link's quota is used up."""

    def __init__(self) -> None:
        super().__init__("This link is used up: its number of downloads is limited. Ask its creator for a new one.")
