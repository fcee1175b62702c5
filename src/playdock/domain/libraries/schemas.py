"""Kinds of libraries."""

from enum import StrEnum


class BackendKind(StrEnum):
    """The layout of games in a library's folder, or an S3 server, where it is that of `Filesystem`."""

    FILESYSTEM = "Filesystem"
    FLAT_FILESYSTEM = "FlatFilesystem"
    S3 = "S3"
