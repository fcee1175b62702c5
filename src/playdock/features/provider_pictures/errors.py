"""Errors about pictures of providers."""

from playdock.kit.errors import BadGateway, NotFound
from playdock.kit.messages import Message


class PictureNotOffered(NotFound):
    """No provider offers this picture for the game."""

    def __init__(self) -> None:
        super().__init__("No provider offers this image for the game. Search for images again, and choose another one.")


class PictureNotUsable(BadGateway):
    """The provider's picture could not be downloaded, or is not acceptable."""

    def __init__(self, reason: Message) -> None:
        super().__init__(f"The image cannot be used. {reason}", parameters={"reason": reason})
