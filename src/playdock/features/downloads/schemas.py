"""Wire types of manifests, limits and content."""

from typing import Annotated, Literal

from msgspec import Meta

from playdock.kit.bodies import Query, ResponseBody
from playdock.kit.fields import Bytes, ContentHash, Id
from playdock.sending.limits import LimitStatus


class ContentQuery(Query):
    """The form and range of a version's content."""

    frames: Annotated[
        Literal["zstd"] | None,
        Meta(description="Compress: send zstd frames of whole chunks, then the table of zstd's seekable format."),
    ] = None
    start: Annotated[
        int, Meta(ge=0, description="With frames: the first byte of the image, at the start of a chunk.")
    ] = 0
    end: (
        Annotated[
            int,
            Meta(
                ge=0,
                description="With frames: the byte after the last, at the end of a chunk; by default the image's end.",
            ),
        ]
        | None
    ) = None


class ImageResponse(ResponseBody):
    """The concatenated files of one version; `size` is in bytes."""

    version: Id
    size: Bytes


class FileResponse(ResponseBody):
    """A file; `offset` is its position in the image with index `image`, and hashes are BLAKE3 as 64 hex digits."""

    path: Annotated[str, Meta(examples=["usr/games/supertuxkart"])]
    size: Annotated[int, Meta(examples=[455_024])]
    mode: Annotated[int, Meta(examples=[0o755])]
    image: Annotated[int, Meta(examples=[0])]
    offset: Annotated[int, Meta(examples=[0])]
    hash: ContentHash
    crc32: Annotated[int, Meta(examples=[1_756_805_528])]
    chunks: Annotated[
        list[tuple[int, str]],
        Meta(
            description="Length and id of each chunk.",
            examples=[[[455_024, "6caa1e87302642466f698a7962066904a3499b453bfd623354546ec1c41b8ed4"]]],
        ),
    ]


class LinkResponse(ResponseBody):
    """A symbolic link; its target is relative to the link's folder."""

    path: Annotated[str, Meta(examples=["usr/share/games/supertuxkart/data"])]
    target: Annotated[str, Meta(examples=["../data"])]


class ManifestResponse(ResponseBody):
    """The files, links and chunks of an installation."""

    format: Annotated[int, Meta(examples=[1])]
    game: Id
    version: Id
    size: Annotated[int, Meta(examples=[455_024])]
    images: list[ImageResponse]
    files: list[FileResponse]
    links: list[LinkResponse]
    removed: Annotated[list[str], Meta(examples=[[]])]


class ServerLimitsResponse(ResponseBody):
    """The server's limits of bytes per second and simultaneous transfers, null for unlimited; the running transfers."""

    download_rate: int | None
    downloads_at_once: Annotated[int, Meta(examples=[1000])] | None
    running: Annotated[int, Meta(examples=[41])]

    @classmethod
    def of(cls, status: LimitStatus) -> "ServerLimitsResponse":
        limits = status.limits
        return cls(download_rate=limits.rate or None, downloads_at_once=limits.at_once or None, running=status.running)


class LimitsResponse(ResponseBody):
    """The caller's limits and running transfers, and those of the server; null for unlimited."""

    download_rate: Annotated[int, Meta(examples=[5_000_000])] | None
    downloads_at_once: Annotated[int, Meta(examples=[32])] | None
    running: Annotated[int, Meta(examples=[3])]
    server: ServerLimitsResponse

    @classmethod
    def of(cls, own: LimitStatus, *, server: LimitStatus) -> "LimitsResponse":
        return cls(
            download_rate=own.limits.rate or None,
            downloads_at_once=own.limits.at_once or None,
            running=own.running,
            server=ServerLimitsResponse.of(server),
        )
