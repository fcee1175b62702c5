"""Wire types of downloads of the client."""

from typing import Annotated, Self

from msgspec import Meta

from playdock.features.client_downloads.rules import ClientDownload, OfferedFile, System
from playdock.kit.bodies import ResponseBody


class ClientDownloadResponse(ResponseBody):
    """A file with which the player's client is installed.

    `system` is `Any` for the package for pipx and uv. The file is fetched by its name. `downloadName` is the name under
    which it is saved, which may contain the server's address. Size and checksum are those of the fetched file.
    """

    name: Annotated[str, Meta(examples=["playdock-setup-0.1.0-windows-x86_64.exe"])]
    system: Annotated[System, Meta(examples=["Windows"])]
    version: Annotated[str, Meta(examples=["0.1.0"])]
    size: Annotated[int, Meta(examples=[17_650_112])]
    sha256: Annotated[str, Meta(examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"])]
    download_name: Annotated[str, Meta(examples=["playdock-setup_https_games.example.org_.exe"])]

    @classmethod
    def of(cls, download: ClientDownload) -> Self:
        file = download.file
        return cls(file.name, file.system, file.version, download.body.size, download.sha256, download.download_name)


class ClientUpdateResponse(ResponseBody):
    """A release of the client that an installed one replaces itself with.

    It is fetched by its name, like other client downloads. `signature` is that of the project, in base64: Ed25519 of
    the line `<sha256>  <name>` with its line feed. It is null if this server's clients are not signed.
    """

    name: Annotated[str, Meta(examples=["playdock-update-0.1.0-windows-x86_64.tar.xz"])]
    system: Annotated[System, Meta(examples=["Windows"])]
    version: Annotated[str, Meta(examples=["0.1.0"])]
    size: Annotated[int, Meta(examples=[8_650_112])]
    sha256: Annotated[str, Meta(examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"])]
    signature: Annotated[str | None, Meta(examples=[None])]

    @classmethod
    def of(cls, file: OfferedFile) -> Self:
        return cls(file.name, file.system, file.version, file.size, file.sha256, file.signature)
