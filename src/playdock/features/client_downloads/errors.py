"""Errors about downloads of the client."""

from playdock.kit.errors import NotFound


class ClientDownloadUnknown(NotFound):
    """The server does not offer this file, or no longer."""

    def __init__(self) -> None:
        super().__init__("This server does not offer this file. Reload the page with the downloads of the client.")
