"""What can be wrong with a signed link."""

from playdock.kit.errors import Conflict, NotFound


class TooManyLinks(Conflict):
    """The caller has as many living links as anybody may have."""

    def __init__(self) -> None:
        super().__init__("You have as many links as you may. Revoke some, or wait until some expire.")


class LinkUnknown(NotFound):
    """No link of the caller has this id."""

    def __init__(self) -> None:
        super().__init__("You have no link with this id.")


class LinkUsedUp(NotFound):
    """Everything that the link was made for has been downloaded."""

    def __init__(self) -> None:
        super().__init__("This link is used up: it was made for a number of downloads. Ask its maker for another one.")
