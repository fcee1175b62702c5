"""Kinds of libraries."""

from enum import StrEnum


class BackendKind(StrEnum):
    """The layout of games in a library's folder, or an S3 server, where it is that of `Filesystem`.

    In a `MixedFilesystem`, some games have a folder for each version, and others do not.
    """

    FILESYSTEM = "Filesystem"
    FLAT_FILESYSTEM = "FlatFilesystem"
    MIXED_FILESYSTEM = "MixedFilesystem"
    S3 = "S3"
