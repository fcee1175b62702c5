"""Errors of requests to other servers. The messages complete a sentence that begins with the server's name."""


class FetchFailed(Exception):
    """There is no usable response. The message contains no URL, because URLs may contain secrets."""


class Unreachable(FetchFailed):
    """The server cannot be reached or violates the protocol; a later attempt may succeed."""


class FetchTimeout(FetchFailed):
    """The response was not complete in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"did not respond within {seconds:.0f} seconds" if seconds >= 1 else "did not respond in time")


class ResponseTooLarge(FetchFailed):
    """The response is larger than allowed."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"sent more than {max_bytes:,} bytes")


class RedirectRefused(FetchFailed):
    """The request or a redirect leads to an origin that is not allowed."""

    def __init__(self) -> None:
        super().__init__("redirects to a server that is not its own")
