"""Kinds of libraries."""

from enum import StrEnum


class BackendKind(StrEnum):
    """The layout of games in a library's folder."""

    FILESYSTEM = "Filesystem"
    FLAT_FILESYSTEM = "FlatFilesystem"
