"""Errors about collections."""

from playdock.kit.errors import Conflict, NotFound


class CollectionUnknown(NotFound):
    """No collection of the caller has this id."""

    def __init__(self) -> None:
        super().__init__("You have no collection with this id.")


class TooManyCollections(Conflict):
    """The caller has the maximum number of collections."""

    def __init__(self) -> None:
        super().__init__("You have reached the maximum number of collections. Delete some that you no longer need.")


class DefaultCollectionFixed(Conflict):
    """The library, unlike other collections, cannot be renamed or deleted."""

    def __init__(self) -> None:
        super().__init__("Your library cannot be renamed or deleted. Remove individual games instead.")
