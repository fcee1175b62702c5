"""Forms with files (multipart/form-data, RFC 7578), parsed incrementally.

Any part with a file name is a file, regardless of its field name, because Drop's clients name the field after the file.
"""

from typing import Annotated, Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct
from multipart import (  # type: ignore[import-untyped]
    MultipartError,
    MultipartSegment,
    PushMultipartParser,
    parse_options_header,
)

from playdock.kit.bodies import read_form
from playdock.kit.errors import FieldError, InvalidInput, TooLarge
from playdock.kit.messages import Message

_FILES = "files"
_MEDIA_TYPE = "multipart/form-data"
# Text fields are names and short descriptions. The forms have fewer text fields than this.
_MAX_TEXT_BYTES = 65_536
_MAX_TEXTS = 16
_MIB = 1024 * 1024


class FormLimits(Struct, frozen=True):
    """The limits of a form: the number of files, the bytes in each, and the bytes in all of them."""

    files: int
    file_bytes: int
    bytes: int

    @property
    def max_body_bytes(self) -> int:
        """The maximum size of the whole body: the files, and space for text fields and boundaries."""
        return self.bytes + _MAX_TEXTS * _MAX_TEXT_BYTES

    @property
    def described(self) -> str:
        """The limits as a sentence."""
        each, total = self.file_bytes // _MIB, self.bytes // _MIB
        if self.files == 1:
            return f"Only one file can be sent, of at most {each} MiB."
        return f"At most {self.files} files can be sent at once, of at most {each} MiB each and {total} MiB together."

    def exceeded(self) -> TooLarge:
        """Return the error for a form that exceeds the limits."""
        advice = "Send a smaller one." if self.files == 1 else "Send fewer or smaller ones."
        return TooLarge(f"{self.described} {advice}")


class FormFile:
    """A file of a form, with the name that the caller sent.

    It is not a dataclass, because msgspec would describe that as an object with fields instead of as bytes.
    """

    __slots__ = ("data", "name")

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data


Files = Annotated[
    list[Annotated[FormFile, Meta(extra_json_schema={"type": "string", "format": "binary"})]],
    Meta(min_length=1, description="At least one file, each with a file name."),
]


class Form(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A form with text fields by name and files in ``files``. Unknown fields are rejected."""

    limits: ClassVar[FormLimits]


_Schema = TypeVar("_Schema", bound=Form)


class FormReader(Generic[_Schema]):
    """Parses one form: call `feed` with each piece of the body, then `decoded`."""

    def __init__(self, schema: type[_Schema], content_type: str) -> None:
        self._schema = schema
        self._limits = schema.limits
        self._parser = _parser(content_type, max_parts=schema.limits.files + _MAX_TEXTS)
        self._fields: dict[str, Any] = {}
        self._files: list[tuple[str, list[bytes]]] = []
        self._errors: list[FieldError] = []
        self._part: MultipartSegment | None = None
        self._pieces: list[bytes] = []
        self._read = 0
        self._bytes_left = self._limits.bytes

    def feed(self, piece: bytes) -> None:
        """Parse the next piece of the body.

        Raises:
            InvalidInput: the body is not a valid form.
            TooLarge: the form exceeds its limits.
        """
        if not piece:
            return
        try:
            for event in self._parser.parse(piece):
                self._take(event)
        except MultipartError:
            raise _unreadable() from None

    def decoded(self) -> _Schema:
        """Return the form after the complete body was fed.

        Raises:
            InvalidInput: the form is incomplete, or fields are invalid; all of them are named.
        """
        try:
            self._parser.close()
        except MultipartError:
            raise _unreadable() from None
        if self._errors:
            raise InvalidInput(self._errors)
        files = [FormFile(name, b"".join(pieces)) for name, pieces in self._files]
        return read_form({**self._fields, **({_FILES: files} if files else {})}, self._schema)

    def _take(self, event: MultipartSegment | bytes | bytearray | None) -> None:
        if isinstance(event, MultipartSegment):
            self._begin(event)
        elif event is None:
            self._end()
        else:
            self._add(bytes(event))

    def _begin(self, part: MultipartSegment) -> None:
        self._part, self._pieces, self._read = part, [], 0
        if part.filename is not None and len(self._files) == self._limits.files:
            raise self._limits.exceeded()

    def _add(self, piece: bytes) -> None:
        assert self._part is not None
        self._read += len(piece)
        if self._part.filename is None:
            if self._read > _MAX_TEXT_BYTES:
                raise InvalidInput([FieldError(self._part.name, Message("field-too-long"))])
        else:
            self._bytes_left -= len(piece)
            if self._read > self._limits.file_bytes or self._bytes_left < 0:
                raise self._limits.exceeded()
        self._pieces.append(piece)

    def _end(self) -> None:
        assert self._part is not None
        name = self._part.name
        if self._part.filename is not None:
            self._files.append((self._part.filename, self._pieces))
        elif name == _FILES:
            self._errors.append(FieldError(name, Message("file-without-name")))
        elif name in self._fields:
            self._errors.append(FieldError(name, Message("field-twice")))
        else:
            self._fields[name] = self._text(name)

    def _text(self, name: str) -> str:
        try:
            return b"".join(self._pieces).decode()
        except UnicodeDecodeError:
            self._errors.append(FieldError(name, Message("field-not-utf8")))
            return ""


def _parser(content_type: str, *, max_parts: int) -> PushMultipartParser:
    kind, options = parse_options_header(content_type)
    try:
        if kind != _MEDIA_TYPE:
            raise _unreadable()
        return PushMultipartParser(options.get("boundary", ""), max_segment_count=max_parts)
    except (MultipartError, UnicodeEncodeError):
        raise _unreadable() from None


def _unreadable() -> InvalidInput:
    return InvalidInput([FieldError("", Message("body-not-form", media_type=_MEDIA_TYPE))])
