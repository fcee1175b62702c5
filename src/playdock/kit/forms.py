"""Forms with files (multipart/form-data, RFC 7578), read piece by piece as they arrive.

A part with a file name is a file, whatever its field is called: Drop's clients name the field after the file.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import Meta
from multipart import (  # type: ignore[import-untyped]
    MultipartError,
    MultipartSegment,
    PushMultipartParser,
    parse_options_header,
)

from playdock.kit.bodies import read_form
from playdock.kit.errors import Fault, InvalidInput, TooLarge

_FILES = "files"
_MEDIA_TYPE = "multipart/form-data"
_MOST_TEXT_BYTES = 65_536
_MOST_TEXTS = 16
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class FormLimits:
    """How much a form may hold: files, bytes in each, bytes in all of them."""

    files: int
    file_bytes: int
    bytes: int

    @property
    def most_body_bytes(self) -> int:
        """Give how long the whole body may be: the files, and room for texts and what stands between."""
        return self.bytes + _MOST_TEXTS * _MOST_TEXT_BYTES

    def passed(self) -> TooLarge:
        each, together = self.file_bytes // _MIB, self.bytes // _MIB
        return TooLarge(
            f"At most {self.files} files can be sent at once, of at most {each} MiB each and {together} MiB together. "
            "Send fewer or smaller ones."
        )


class FormFile:
    """A file of a form; the name is what the caller calls it.

    It is no dataclass, which would be described as an object with fields: a file is described as bytes.
    """

    __slots__ = ("data", "name")

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data


Files = Annotated[
    list[Annotated[FormFile, Meta(extra_json_schema={"type": "string", "format": "binary"})]],
    Meta(min_length=1, description="At least one file, each with its file name."),
]


class Form(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """What a caller sends with files: text fields by name, and the files in ``files``; unknown fields are refused."""

    limits: ClassVar[FormLimits]


_Schema = TypeVar("_Schema", bound=Form)


class FormReader(Generic[_Schema]):
    """Reads one form: `feed` it the body as it comes, then have it `decoded`."""

    def __init__(self, schema: type[_Schema], content_type: str) -> None:
        self._schema = schema
        self._limits = schema.limits
        self._parser = _parser(content_type, most_parts=schema.limits.files + _MOST_TEXTS)
        self._fields: dict[str, Any] = {}
        self._files: list[tuple[str, list[bytes]]] = []
        self._faults: list[Fault] = []
        self._part: MultipartSegment | None = None
        self._pieces: list[bytes] = []
        self._read = 0
        self._room = self._limits.bytes

    def feed(self, piece: bytes) -> None:
        """Read on.

        Raises:
            InvalidInput: this is no form.
            TooLarge: it holds more than it may.
        """
        if not piece:
            return
        try:
            for event in self._parser.parse(piece):
                self._take(event)
        except MultipartError:
            raise _unreadable() from None

    def decoded(self) -> _Schema:
        """Give the form, once all of it was fed.

        Raises:
            InvalidInput: it breaks off, or naming each field at fault.
        """
        try:
            self._parser.close()
        except MultipartError:
            raise _unreadable() from None
        if self._faults:
            raise InvalidInput(self._faults)
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
            raise self._limits.passed()

    def _add(self, piece: bytes) -> None:
        assert self._part is not None
        self._read += len(piece)
        if self._part.filename is None:
            if self._read > _MOST_TEXT_BYTES:
                raise InvalidInput([Fault(self._part.name, "This text is too long.")])
        else:
            self._room -= len(piece)
            if self._read > self._limits.file_bytes or self._room < 0:
                raise self._limits.passed()
        self._pieces.append(piece)

    def _end(self) -> None:
        assert self._part is not None
        name = self._part.name
        if self._part.filename is not None:
            self._files.append((self._part.filename, self._pieces))
        elif name == _FILES:
            self._faults.append(Fault(name, "A file must come with its file name."))
        elif name in self._fields:
            self._faults.append(Fault(name, "This field is there twice."))
        else:
            self._fields[name] = self._text(name)

    def _text(self, name: str) -> str:
        try:
            return b"".join(self._pieces).decode()
        except UnicodeDecodeError:
            self._faults.append(Fault(name, "Text must be in UTF-8."))
            return ""


def _parser(content_type: str, *, most_parts: int) -> PushMultipartParser:
    kind, options = parse_options_header(content_type)
    try:
        if kind != _MEDIA_TYPE:
            raise _unreadable()
        return PushMultipartParser(options.get("boundary", ""), max_segment_count=most_parts)
    except (MultipartError, UnicodeEncodeError):
        raise _unreadable() from None


def _unreadable() -> InvalidInput:
    return InvalidInput([Fault("", f"The body must be {_MEDIA_TYPE}, whole and with its boundary in Content-Type.")])
