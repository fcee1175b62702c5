"""Errors of requests to other servers, and of messages that they are to deliver."""

from playdock.kit.messages import Message, Parameter


class FetchFailed(Exception):
    """There is no usable response. The text completes a sentence that begins with the server's name.

    It contains no URL, because URLs may contain secrets. ``code`` is that of a sentence about a server.
    """

    def __init__(self, code: str, **parameters: Parameter) -> None:
        self.code = code
        self.parameters = parameters
        super().__init__(self.about("").strip(" ."))

    def about(self, server: str) -> Message:
        """Return the sentence with the server's name."""
        return Message(self.code, server=server, **self.parameters)


class Unreachable(FetchFailed):
    """The server cannot be reached or violates the protocol; a later attempt may succeed."""


class FetchTimeout(FetchFailed):
    """The response was not complete in time."""

    def __init__(self, seconds: float) -> None:
        if seconds >= 1:
            super().__init__("server-timeout-after", count=round(seconds))
        else:
            super().__init__("server-timeout")


class ResponseTooLarge(FetchFailed):
    """The response is larger than allowed."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__("server-response-too-large", size=max_bytes)


class RedirectRefused(FetchFailed):
    """The request or a redirect leads to an origin that is not allowed."""

    def __init__(self) -> None:
        super().__init__("server-redirects-elsewhere")


class ServerFault(Exception):
    """A server accepts no message now. A later attempt may succeed without a change if it is ``temporary``."""

    def __init__(self, reason: Message, *, temporary: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.temporary = temporary


class MessageRefused(Exception):
    """A server does not accept this message. It may accept it later if that is ``temporary``."""

    def __init__(self, reason: Message, *, temporary: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.temporary = temporary
