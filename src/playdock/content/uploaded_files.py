"""The files of an upload, in the order in which their content is sent."""

from msgspec import Struct


class UploadedFile(Struct, frozen=True, array_like=True):
    """A file of an upload. ``path`` is relative to the folder of the library; ``sha256`` is empty if it is unknown."""

    path: str
    size: int
    executable: bool = False
    sha256: str = ""
