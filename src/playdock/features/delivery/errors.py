"""Errors about delivering notifications."""

from playdock.kit.errors import BadGateway, Conflict, NotFound
from playdock.kit.messages import Message


class EmailUnavailable(BadGateway):
    """The service cannot send email now: no mail server is set up, or it does not accept the message."""

    def __init__(self, reason: Message) -> None:
        super().__init__(f"This server cannot send email now. {reason}", parameters={"reason": reason})


class ChatUnavailable(BadGateway):
    """The chat service does not accept a message."""

    def __init__(self, reason: Message) -> None:
        super().__init__(f"The test failed. {reason}", parameters={"reason": reason})


class VerificationSent(Conflict):
    """A message to confirm the address was sent a moment ago."""

    def __init__(self) -> None:
        super().__init__("A message to your address is on its way. In five minutes you can request another one.")


class MailLinkInvalid(NotFound):
    """The link was not made by this service, is too old, or is about an address that the account no longer has."""

    def __init__(self) -> None:
        super().__init__("This link is invalid or has expired.")
