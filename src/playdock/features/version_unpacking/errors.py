"""Errors about unpacking."""

from playdock.kit.errors import Conflict


class PackedVersionImported(Conflict):
    """The version is imported."""

    def __init__(self) -> None:
        super().__init__("This version is imported already. Delete it without its files first to unpack it.")
