"""Why nothing came back. The messages continue a sentence that begins with the other server's name."""


class FetchFailed(Exception):
    """There is no answer. The message holds no address: addresses may hold secrets."""


class Unreachable(FetchFailed):
    """The other server cannot be reached, or does not speak as it should; it may later."""


class TookTooLong(FetchFailed):
    """The whole answer was not there in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"did not answer within {seconds:.0f} seconds" if seconds >= 1 else "did not answer in time")


class TooLarge(FetchFailed):
    """The answer has more bytes than are read."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"answered with more than {most_bytes:,} bytes")


class LedElsewhere(FetchFailed):
    """The request, or an answer to it, leads to an address that is not the other server's own."""

    def __init__(self) -> None:
        super().__init__("leads to an address that is not its own")
