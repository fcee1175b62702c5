"""Errors about saved games."""

from playdock.features.saved_games.rules import MAX_SLOTS
from playdock.kit.errors import ChangedOnTheWay, Conflict, Gone, NotFound, TooLarge


class SaveUnknown(NotFound):
    """The caller has no save with this id."""

    def __init__(self) -> None:
        super().__init__("You have no saved game with this id. It may have been deleted.")


class SaveLost(Gone):
    """The bytes of a save are missing from the storage."""

    def __init__(self) -> None:
        super().__init__("The server has lost the content of this saved game. Restore another one.")


class SaveTooLarge(TooLarge):
    """A save is larger than the server accepts."""

    def __init__(self, most: int) -> None:
        super().__init__(f"A saved game may have at most {most} bytes.", parameters={"most": most})


class SavesFull(Conflict):
    """All saves of the user would be larger than the server accepts."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"Your saved games may have {most} bytes in total. Delete some of them first.", parameters={"most": most}
        )


class SlotsExhausted(Conflict):
    """The user has as many slots for a game as there may be."""

    def __init__(self) -> None:
        super().__init__(f"You have {MAX_SLOTS} slots for this game. Delete one of them first.")


class SaveConflict(Conflict):
    """Another save has become the newest since the one that an upload is based on. Both are kept."""

    def __init__(self) -> None:
        super().__init__(
            "Another device has saved this game since. Both are kept: restore the one that you want to continue."
        )


class SaveChanged(ChangedOnTheWay):
    """A save differs from its checksum."""

    def __init__(self) -> None:
        super().__init__("The saved game differs from its checksum. Upload it again.")
