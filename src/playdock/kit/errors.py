"""The families of errors that reach a caller.

A feature names its own errors as subclasses of one family; the family alone decides the status on the wire, the
class's name is the stable code, and the message is a sentence for a person: what is wrong and what to do.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with one field of a request; ``field`` is a dotted path, empty for the whole body."""

    field: str
    detail: str


class PlaydockError(Exception):
    """Something a caller can be told. Subclass a family below, never this."""

    status: ClassVar[int] = 500

    def __init__(self, detail: str, *, faults: Sequence[Fault] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.faults = tuple(faults)

    @classmethod
    def code(cls) -> str:
        """Give the stable kebab-case name of this error, such as ``username-taken``."""
        return re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def title(cls) -> str:
        return cls.code().replace("-", " ").capitalize()

    def headers(self) -> dict[str, str]:
        return {}

    def extras(self) -> dict[str, str]:
        """Give further members of the problem document, such as the id of a running task."""
        return {}


class Invalid(PlaydockError):
    """The request itself is wrong, whatever the state of the service."""

    status = 400


class Unauthenticated(PlaydockError):
    """Nobody known is calling."""

    status = 401

    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": "Bearer"}


class Forbidden(PlaydockError):
    """The caller is known and may not."""

    status = 403


class NotFound(PlaydockError):
    """No such thing, or none that this caller may know of."""

    status = 404


class Conflict(PlaydockError):
    """The present state of the service is in the way."""

    status = 409


class PreconditionFailed(PlaydockError):
    """What is there is not what the caller's If-Match names."""

    status = 412

    def __init__(self) -> None:
        super().__init__("What is there has changed. Ask for it anew, without If-Match or with its present ETag.")


class TooLarge(PlaydockError):
    """The body is larger than the service reads."""

    status = 413


class RangeNotSatisfiable(PlaydockError):
    """The range that is asked for lies behind the end."""

    status = 416

    def __init__(self, size: int) -> None:
        super().__init__(f"There are {size} bytes, and none in the range that was asked for.")
        self.size = size

    def headers(self) -> dict[str, str]:
        return {"Content-Range": f"bytes */{self.size}", "Accept-Ranges": "bytes"}


class TooManyFailures(PlaydockError):
    """Too many wrong attempts; the caller has to wait."""

    status = 429

    def __init__(self, detail: str, *, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after

    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.retry_after)}


class TooMuchAtOnce(PlaydockError):
    """As much as may be done at once is being done; the caller has to wait for some of it to end."""

    status = 429

    def headers(self) -> dict[str, str]:
        return {"Retry-After": "1"}


class BadGateway(PlaydockError):
    """Another server, which the service asked, did not answer as it should."""

    status = 502


class Unavailable(PlaydockError):
    """Something the service needs does not answer now."""

    status = 503


class InvalidInput(Invalid):
    """The request breaks one or more rules; every one is named."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        listed = "; ".join(f"{fault.field}: {fault.detail}" if fault.field else fault.detail for fault in faults)
        super().__init__(f"The request cannot be accepted. {listed}", faults=faults)
