"""Errors about companies."""

from playdock.kit.errors import Conflict, NotFound


class CompanyUnknown(NotFound):
    """No company has this id."""

    def __init__(self) -> None:
        super().__init__("There is no company with this id.")


class CompanyTaken(Conflict):
    """Another company has this name, ignoring case."""

    def __init__(self, name: str) -> None:
        super().__init__(f"A company named {name} already exists. Choose another name, or merge the two.")
