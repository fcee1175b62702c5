"""What can be wrong with a signed link."""

from playdock.kit.errors import NotFound


class LinkUnknown(NotFound):
    """No link of the caller has this id."""

    def __init__(self) -> None:
        super().__init__("You have no link with this id.")


class LinkUsedUp(NotFound):
    """Everything that the link was made for has been downloaded."""

    def __init__(self) -> None:
        super().__init__("This link is used up: it was made for a number of downloads. Ask its maker for another one.")
