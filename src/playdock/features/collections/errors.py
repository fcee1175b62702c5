"""What can be wrong with a collection."""

from playdock.kit.errors import Conflict, NotFound


class CollectionUnknown(NotFound):
    """No collection of the caller has this id."""

    def __init__(self) -> None:
        super().__init__("You have no collection with this id.")


class OwnLibraryStays(Conflict):
    """The own library is not like other collections."""

    def __init__(self) -> None:
        super().__init__("Your own library cannot be renamed or deleted. Take single games out of it instead.")
