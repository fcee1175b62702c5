"""Errors about libraries."""

from playdock.kit.errors import Conflict, NotFound


class LibraryUnknown(NotFound):
    """No library has this id."""

    def __init__(self) -> None:
        super().__init__("There is no library with this id.")


class TooMuchIgnored(Conflict):
    """A library has no room for another ignored name."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This game folder ignores {most:,} names already. Edit it first, and replace some of them by a pattern.",
            parameters={"most": most},
        )


class LibraryNotManaged(Conflict):
    """The service must not write to the library."""

    def __init__(self) -> None:
        super().__init__(
            "Playdock only reads this game folder. Edit the game folder first, and let Playdock manage its files."
        )
