"""``/api/v1/admin/uploads``: uploading games into managed libraries, with the protocol tus 1.0."""

from functools import partial
from sys import maxsize
from typing import Any

from litestar import Request, Response

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.libraries.errors import LibraryNotManaged, LibraryUnknown
from playdock.features.game_import.errors import LibraryUnavailable
from playdock.features.uploads import rules
from playdock.features.uploads.errors import (
    ChecksumMismatch,
    DestinationTaken,
    SpaceMissing,
    UploadBusy,
    UploadComplete,
    UploadInProgress,
    UploadLimitReached,
    UploadLost,
    UploadOffsetWrong,
    UploadPieceTooLong,
    UploadUnknown,
)
from playdock.features.uploads.schemas import UploadCreate, UploadResponse
from playdock.features.uploads.service import Uploads, UploadStatus
from playdock.kit.clock import timestamp
from playdock.kit.errors import InvalidInput
from playdock.server.body_receiving import receive_body
from playdock.server.disk_threads import DiskThreads
from playdock.server.routing import delete, get, patch, post

PATH = "/api/v1/admin/uploads"
# A list of 100,000 files with long paths and hashes.
_MAX_LIST_BYTES = 64 * 1024 * 1024
_AnyRequest = Request[Any, Any, Any]
_TUS = {"Tus-Resumable": rules.TUS_VERSION}


def _response(status: UploadStatus) -> UploadResponse:
    upload, task = status.upload, status.task
    return UploadResponse(
        id=upload.id,
        library=upload.library_id,
        game=upload.game,
        version=upload.version,
        state=status.state,
        files=upload.files,
        size=upload.size,
        received=upload.received,
        created=timestamp(upload.created),
        expires=timestamp(upload.expires),
        task_id=upload.task_id,
        problem=(task.error_detail if task else None) or "",
        problem_code=task.error_code if task else None,
        problem_parameters=(task.error_parameters if task else None) or {},
    )


@get(PATH, requires=Permission.LIBRARY_WRITE)
def list_uploads(actor: Actor, uploads: Uploads) -> list[UploadResponse]:
    """List uploads, newest first. Those that are complete are listed for a week."""
    return [_response(each) for each in uploads.list_all(actor)]


@post(
    PATH,
    requires=Permission.LIBRARY_WRITE,
    raises=[
        LibraryUnknown,
        LibraryNotManaged,
        LibraryUnavailable,
        DestinationTaken,
        UploadInProgress,
        UploadLimitReached,
        SpaceMissing,
    ],
    touches_disk=True,
    max_body_bytes=_MAX_LIST_BYTES,
)
def begin_upload(data: UploadCreate, actor: Actor, uploads: Uploads) -> UploadResponse:
    """Start an upload by declaring its files. The same call again returns the same upload, which can be continued."""
    return _response(uploads.begin(actor, data))


@get(f"{PATH}/{{upload_id:str}}", requires=Permission.LIBRARY_WRITE, raises=[UploadUnknown], with_head=True)
def show_upload(upload_id: str, actor: Actor, uploads: Uploads) -> Response[UploadResponse]:
    """Return an upload. The header `Upload-Offset` says at which byte it continues."""
    status = uploads.show(actor, upload_id)
    headers = {"Upload-Offset": str(status.upload.received), "Upload-Length": str(status.upload.size)}
    return Response(_response(status), headers=_TUS | headers)


@patch(
    f"{PATH}/{{upload_id:str}}",
    requires=Permission.LIBRARY_WRITE,
    status=204,
    raises=[
        InvalidInput,
        UploadUnknown,
        UploadLost,
        LibraryNotManaged,
        LibraryUnavailable,
        SpaceMissing,
        UploadBusy,
        UploadComplete,
        UploadOffsetWrong,
        UploadPieceTooLong,
        ChecksumMismatch,
    ],
    max_body_bytes=maxsize,
)
async def append_to_upload(
    upload_id: str, request: _AnyRequest, actor: Actor, uploads: Uploads, threads: DiskThreads
) -> Response[None]:
    """Send the next bytes of an upload (tus 1.0): the content of all files in the declared order, one after the other.

    `Content-Type` is `application/offset+octet-stream`, `Upload-Offset` the first byte, and `Upload-Checksum` may be
    `sha256` and the hash of the body in Base64. Without it, an interrupted request is stored as far as it arrived.
    """
    piece = rules.piece_of(request.headers)
    reception = await threads.run(partial(uploads.receive, actor, upload_id, piece))
    received = await receive_body(request, reception, threads)
    return Response(None, headers=_TUS | {"Upload-Offset": str(received)})


@delete(f"{PATH}/{{upload_id:str}}", requires=Permission.LIBRARY_WRITE, raises=[UploadUnknown], touches_disk=True)
def cancel_upload(upload_id: str, actor: Actor, uploads: Uploads) -> None:
    """Cancel an upload and delete what was received, or remove a complete one from the list."""
    uploads.remove(actor, upload_id)


ROUTES = (list_uploads, begin_upload, show_upload, append_to_upload, cancel_upload)
