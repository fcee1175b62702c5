"""Errors of the settings page."""

from playdock.kit.errors import BadGateway
from playdock.kit.messages import Message


class ProviderTestFailed(BadGateway):
    """A metadata provider does not work with the given keys."""

    def __init__(self, reason: Message) -> None:
        super().__init__(f"The test failed. {reason}", parameters={"reason": reason})
