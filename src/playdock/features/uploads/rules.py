"""Pure decisions about uploads: what may be uploaded to where, and what a request to send a piece says."""

from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from hashlib import sha256

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from playdock.content.archive_names import installer_files, is_installer, is_version_file
from playdock.content.errors import UnusableVersion
from playdock.content.names import check_names, printable, unsafe_reason
from playdock.content.uploaded_files import UploadedFile
from playdock.domain.libraries.schemas import BackendKind
from playdock.features.uploads.schemas import FileToUpload, UploadCreate, UploadState
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message

# Long enough to continue on the next weekend.
KEPT = timedelta(days=7)
# A power failure costs at most what was sent after the last step. Smaller steps would wait for the disk more often.
BYTES_PER_STEP = 256 * 1024 * 1024
# The service and its neighbors must be able to write while an upload is stored.
RESERVED_BYTES = 1024**3
TUS_VERSION = "1.0.0"
CONTENT_TYPE = "application/offset+octet-stream"
_CHECKSUM = "sha256 "
# That of Linux, in UTF-8.
_MAX_NAME_BYTES = 255
# More than the size of any upload has.
_MAX_DIGITS = 18


class UploadPiece(Struct, frozen=True):
    """What a request to send a piece says: where it begins, and the SHA-256 of its body, if any."""

    offset: int
    checksum: bytes | None = None


def piece_of(headers: Mapping[str, str]) -> UploadPiece:
    """Read the header of a request to send a piece.

    Raises:
        InvalidInput: a header is missing or invalid.
    """
    offset, checksum = headers.get("upload-offset", ""), headers.get("upload-checksum")
    if headers.get("content-type") != CONTENT_TYPE:
        raise InvalidInput([FieldError("Content-Type", Message("upload-type", wanted=CONTENT_TYPE))])
    if not (offset.isascii() and offset.isdecimal() and len(offset) <= _MAX_DIGITS):
        raise InvalidInput([FieldError("Upload-Offset", Message("upload-offset"))])
    if checksum is None:
        return UploadPiece(int(offset))
    try:
        digest = b64decode(checksum.removeprefix(_CHECKSUM), validate=True)
    except ValueError:
        digest = b""
    if not checksum.startswith(_CHECKSUM) or len(digest) != sha256().digest_size:
        raise InvalidInput([FieldError("Upload-Checksum", Message("upload-checksum"))])
    return UploadPiece(int(offset), digest)


def errors_of(data: UploadCreate, backend: BackendKind) -> Iterator[FieldError]:
    """Yield what is wrong with the names and files of an upload into a library with a layout."""
    yield from name_errors("game", data.game)
    if backend is BackendKind.FILESYSTEM or (backend is BackendKind.MIXED_FILESYSTEM and data.version):
        yield from name_errors("version", data.version)
        if is_version_file(data.game):
            yield FieldError("game", Message("upload-game-is-archive"))
    elif data.version:
        yield FieldError("version", Message("upload-no-versions"))
    try:
        check_names(each.path for each in data.files)
    except UnusableVersion as reason:
        yield FieldError("files", reason.message)
    if path := next((each.path for each in data.files if _is_too_long(each.path)), None):
        yield FieldError("files", Message("path-unsafe", path=printable(path), reason=Message("path-too-long")))
    name = data.version or data.game
    yield from _errors_of_packed(name, [each.path for each in data.files])
    if not any(each.size for each in data.files):
        yield FieldError("files", Message("upload-empty"))


def _errors_of_packed(name: str, paths: Sequence[str]) -> Iterator[FieldError]:
    """Yield what is wrong with the files of an archive, or of an installer with its parts."""
    if is_installer(name):
        if name not in paths or len(installer_files(name, paths)) != len(paths):
            yield FieldError("files", Message("upload-installer-alone", name=printable(name)))
    elif is_version_file(name) and list(paths) != [name]:
        yield FieldError("files", Message("upload-archive-alone", name=printable(name)))


def name_errors(field: str, name: str) -> Iterator[FieldError]:
    """Yield what is wrong with the name of a folder or archive in a library."""
    if unsafe := unsafe_reason(name):
        yield FieldError(field, Message("upload-name-unsafe", name=printable(name), reason=unsafe))
        return
    reason = None
    if "/" in name:
        reason = Message("upload-name-slash")
    if reason is None and name.startswith("."):
        reason = Message("upload-name-hidden")
    if reason is None and _is_too_long(name):
        reason = Message("upload-name-long", most=_MAX_NAME_BYTES)
    if reason is not None:
        yield FieldError(field, Message("upload-name", name=printable(name), reason=reason))


def _is_too_long(path: str) -> bool:
    return any(len(name.encode(errors="surrogatepass")) > _MAX_NAME_BYTES for name in path.split("/"))


def staged_files(data: UploadCreate) -> list[UploadedFile]:
    """Return the files with their paths in the library, in the order in which they are sent."""
    names = [data.game, data.version] if data.version else [data.game]
    if is_version_file(names[-1]):
        names.pop()
    folder = "".join(f"{name}/" for name in names)
    return [UploadedFile(folder + each.path, each.size, each.executable, each.sha256) for each in data.files]


def placed_names(version: str, paths: Iterable[str]) -> list[str]:
    """Return the names of what is moved to its place: the folder or archive, or an installer after its parts."""
    parts = installer_files(version, (path.rpartition("/")[2] for path in paths)) if is_installer(version) else []
    return [*(part for part in parts if part != version), version]


def digest_of(files: Sequence[FileToUpload]) -> str:
    """Return the hash by which the same list of files is recognized. Of files with a hash, the time does not count."""
    return earlier_digest_of([replace(each, modified=0) if each.sha256 else each for each in files])


def earlier_digest_of(files: Sequence[FileToUpload]) -> str:
    """Return the hash that earlier releases recognize the same list of files by."""
    return sha256(msgspec.json.encode(files)).hexdigest()


def state_of(*, is_placed: bool, has_task: bool, is_active: bool) -> UploadState:
    """Return the state of an upload. A complete one has a task, which is active until it succeeds or fails."""
    if is_placed:
        return UploadState.DONE
    if not has_task:
        return UploadState.RECEIVING
    return UploadState.CHECKING if is_active else UploadState.FAILED
