"""Manifests on the wire, and what is asked of an image (content, *Serving*)."""

from typing import Annotated, Literal

from msgspec import Meta

from playdock.kit.bodies import Answer, Query


class ContentQuery(Query):
    """In which form an image is wanted."""

    frames: Annotated[
        Literal["zstd"] | None,
        Meta(description="Compress on the way: zstd frames of whole chunks, and the table of zstd's seekable format."),
    ] = None
    start: Annotated[
        int, Meta(ge=0, description="With frames: the byte of the image to begin at, where a chunk does.")
    ] = 0
    end: (
        Annotated[
            int,
            Meta(
                ge=0,
                description="With frames: the byte to end before, where a chunk ends; the image's end if absent.",
            ),
        ]
        | None
    ) = None


class ImageAnswer(Answer):
    """The files of one version laid end to end."""

    version: str
    size: int


class FileAnswer(Answer):
    """A file: ``offset`` is its place in the image of that number; hashes are 64 hex digits of BLAKE3."""

    path: str
    size: int
    mode: int
    image: int
    offset: int
    hash: str
    crc32: int
    chunks: Annotated[list[tuple[int, str]], Meta(description="Length and id of each chunk.")]


class LinkAnswer(Answer):
    """A symbolic link; its target is relative to the link's folder."""

    path: str
    target: str


class ManifestAnswer(Answer):
    """What an installation consists of."""

    format: int
    game: str
    version: str
    size: int
    images: list[ImageAnswer]
    files: list[FileAnswer]
    links: list[LinkAnswer]
    removed: list[str]
