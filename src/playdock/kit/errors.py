"""The families of errors that are reported to callers.

Features define their errors as subclasses of a family. The family determines the HTTP status, and the name of the class
is the stable code. The message is for people: it says what is wrong and what to do.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import ClassVar

from msgspec import Struct

from playdock.kit.messages import Message, Parameter, join

# People do not read more errors of one request, and programs find the next ones when these are fixed.
MAX_FIELD_ERRORS = 20
# Finding an error takes some microseconds. Beyond this number it does not matter how many there are.
MAX_COUNTED_ERRORS = 1000
# Names of fields are shorter; only unknown ones in a request may be as long as the whole request.
_MAX_FIELD_CHARACTERS = 200


class FieldError(Struct, frozen=True):
    """An error of one field of a request. ``field`` is a dotted path, empty for the whole body."""

    field: str
    detail: Message


class PlaydockError(Exception):
    """An error that is reported to the caller. Subclass one of the families below, not this class.

    A page translates the code. It needs as ``parameters`` what its text shows of the detail, such as a reason.
    """

    status: ClassVar[int] = 500
    # How many field errors are not listed.
    more_errors: int = 0

    def __init__(
        self,
        detail: str,
        *,
        field_errors: Sequence[FieldError] = (),
        parameters: Mapping[str, Parameter] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.field_errors = tuple(field_errors)
        self.parameters = parameters or {}

    @classmethod
    def code(cls) -> str:
        """Return the stable kebab-case name of this error, such as ``username-taken``."""
        return re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def title(cls) -> str:
        return cls.code().replace("-", " ").capitalize()

    def message(self) -> Message:
        """Return the detail with the code and the parameters, for where no problem document is sent."""
        return Message.worded(self.code(), self.detail, self.parameters)

    def headers(self) -> dict[str, str]:
        return {}

    def extras(self) -> dict[str, str]:
        """Return further members of the problem document, such as the id of a running task."""
        return {}


class Invalid(PlaydockError):
    """The request is invalid, regardless of the state of the service."""

    status = 400


class Unauthenticated(PlaydockError):
    """The request has no valid credential."""

    status = 401

    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": "Bearer"}


class Forbidden(PlaydockError):
    """The caller is authenticated but lacks permission."""

    status = 403


class NotFound(PlaydockError):
    """The resource does not exist, or the caller may not know that it exists."""

    status = 404


class Conflict(PlaydockError):
    """The current state of the service does not allow the request."""

    status = 409


class Gone(PlaydockError):
    """The resource existed, and does not exist any more."""

    status = 410


class PreconditionFailed(PlaydockError):
    """The current ETag of the resource does not match If-Match."""

    status = 412

    def __init__(self) -> None:
        super().__init__("The resource has changed. Retry without If-Match, or with its current ETag.")


class TooLarge(PlaydockError):
    """The body is larger than the service accepts."""

    status = 413


class RangeNotSatisfiable(PlaydockError):
    """The requested range is beyond the end of the resource."""

    status = 416

    def __init__(self, size: int) -> None:
        super().__init__(f"The requested range is beyond the end ({size} bytes).")
        self.size = size

    def headers(self) -> dict[str, str]:
        return {"Content-Range": f"bytes */{self.size}", "Accept-Ranges": "bytes"}


class ChangedOnTheWay(PlaydockError):
    """The body differs from its checksum. The status is that of the protocol tus 1.0."""

    status = 460


class TooManyFailures(PlaydockError):
    """There were too many failed attempts; the caller must wait."""

    status = 429

    def __init__(self, detail: str, *, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after

    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.retry_after)}


class TooManyAtOnce(PlaydockError):
    """The limit of simultaneous operations is reached; the caller must wait until one ends."""

    status = 429

    def headers(self) -> dict[str, str]:
        return {"Retry-After": "1"}


class BadGateway(PlaydockError):
    """Another server that the service depends on responded incorrectly."""

    status = 502


class Unavailable(PlaydockError):
    """Something that the service depends on is temporarily unavailable."""

    status = 503


class InvalidInput(Invalid):
    """One or more fields of the request are invalid; at most 20 of them are named, and the others counted."""

    def __init__(self, field_errors: Iterable[FieldError]) -> None:
        errors = iter(field_errors)
        listed = [_shortened(error) for error in islice(errors, MAX_FIELD_ERRORS)]
        self.more_errors = sum(1 for _ in islice(errors, MAX_COUNTED_ERRORS - len(listed)))
        texts = [f"{error.field}: {error.detail}" if error.field else str(error.detail) for error in listed]
        faults = [error.detail for error in listed]
        if self.more_errors:
            more = Message("more-errors", count=self.more_errors)
            texts.append(more)
            faults.append(more)
        detail = f"The request is invalid. {'; '.join(texts)}"
        super().__init__(detail, field_errors=listed, parameters={"faults": join(faults) or ""})


def _shortened(error: FieldError) -> FieldError:
    if len(error.field) <= _MAX_FIELD_CHARACTERS:
        return error
    return FieldError(f"{error.field[:_MAX_FIELD_CHARACTERS]}…", error.detail)
