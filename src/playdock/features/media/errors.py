"""Errors about previews."""

from playdock.kit.errors import BadGateway, Invalid
from playdock.kit.messages import Message


class NotAProviderImage(Invalid):
    """The address is not on a host of a metadata provider."""

    def __init__(self) -> None:
        super().__init__("No metadata provider hosts pictures at this address. Use the address from a search result.")


class ImageUnavailable(BadGateway):
    """The provider did not return a usable picture."""

    def __init__(self, reason: Message) -> None:
        super().__init__(f"The image cannot be shown. {reason}", parameters={"reason": reason})
