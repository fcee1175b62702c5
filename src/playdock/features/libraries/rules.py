"""Where a library may be, as far as that can be said without looking there."""

from playdock.domain.libraries.schemas import BackendKind
from playdock.kit.messages import Message
from playdock.kit.s3_location import error_of_s3_url, is_s3_url


def is_layout_of(backend: BackendKind, other: BackendKind) -> bool:
    """Return whether a library can be changed from one backend to another: both are layouts of folders, or the same."""
    return backend is other or BackendKind.S3 not in (backend, other)


def fault_of_place(backend: BackendKind, base_dir: str) -> Message | None:
    """Return what is wrong with the place of a library, None if it may be right."""
    if backend is BackendKind.S3:
        return Message("library-url") if error_of_s3_url(base_dir) else None
    return Message("library-path") if is_s3_url(base_dir) else None
