"""Wire types of uploads."""

from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.fields import Bytes, Expiry, Id, MessageCode, MessageParameters, Timestamp
from playdock.kit.texts import VISIBLE

# Five values each and the object itself, and what else the request has.
_MAX_FILES = 100_000
_MAX_VALUES = 6 * _MAX_FILES + 10
# The largest file of the common file systems.
_MAX_FILE_BYTES = 2**53 - 1
_Name = Annotated[str, Meta(pattern=VISIBLE, max_length=255)]


class FileToUpload(RequestBody):
    """A file to upload, with its path in the folder that is uploaded; an archive has its own name as path."""

    path: Annotated[str, Meta(min_length=1, max_length=4096, examples=["bin/supertuxkart"])]
    size: Annotated[int, Meta(ge=0, le=_MAX_FILE_BYTES, examples=[743_006_930])]
    modified: Annotated[
        int,
        Meta(
            description="When it was last modified, in milliseconds since 1970. Without `sha256`, an upload continues "
            "only if this is the same.",
            examples=[1_763_617_080_000],
        ),
    ] = 0
    executable: Annotated[bool, Meta(description="Whether it is a program.", examples=[True])] = False
    sha256: Annotated[
        str,
        Meta(
            pattern="^([0-9a-f]{64})?$",
            description="Its SHA-256 in hexadecimal, if it should be checked when the upload is complete.",
            examples=["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
        ),
    ] = ""


class UploadCreate(RequestBody, kw_only=True):
    """What to upload, and to where: the names of the folders or archives of game and version in the library."""

    max_values: ClassVar[int] = _MAX_VALUES

    library: Annotated[Id, Meta(description="The library's id.")]
    game: Annotated[_Name, Meta(description="The folder of the game.", examples=["SuperTuxKart"])]
    version: Annotated[
        str,
        Meta(
            max_length=255,
            description="The folder or archive of the version; empty in a library without folders for versions.",
            examples=["1.4"],
        ),
    ] = ""
    files: Annotated[
        list[FileToUpload],
        Meta(min_length=1, max_length=_MAX_FILES, description=f"1 to {_MAX_FILES:,} files; more fit into an archive."),
    ]


class UploadState(StrEnum):
    """The state of an upload."""

    RECEIVING = "receiving"
    CHECKING = "checking"
    DONE = "done"
    FAILED = "failed"


class UploadResponse(ResponseBody):
    """An upload. While it is `receiving`, it continues at the byte `received`; `problem` is why it has failed."""

    id: Id
    library: Id
    game: Annotated[str, Meta(examples=["SuperTuxKart"])]
    version: Annotated[str, Meta(examples=["1.4"])]
    state: UploadState
    files: Annotated[int, Meta(examples=[5269])]
    size: Bytes
    received: Annotated[int, Meta(examples=[67_108_864])]
    created: Timestamp
    expires: Expiry
    task_id: Id | None
    problem: Annotated[str, Meta(examples=[""])]
    problem_code: MessageCode | None
    problem_parameters: MessageParameters
