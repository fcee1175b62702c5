"""Requests and error codes of OAuth endpoints (RFC 6749, sections 3.2 and 5.2)."""

import re
from collections.abc import Sequence
from typing import TypeVar
from urllib.parse import parse_qsl

import msgspec

from playdock.kit.bodies import read_form
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message

# The forms of OAuth contain a few short fields.
MAX_FORM_BYTES = 16_384
MEDIA_TYPE = "application/x-www-form-urlencoded"
_MAX_FIELDS = 100


class UrlForm(msgspec.Struct, kw_only=True):
    """The fields of an OAuth form, in snake case. Unknown ones are ignored (RFC 6749, section 3.2)."""


class OAuthName:
    """Mixin for error codes in OAuth's style, used before the family: ``class SlowDown(OAuthName, Invalid)``."""

    @classmethod
    def code(cls) -> str:
        return "_".join(re.findall("[A-Z][a-z]*", cls.__name__)).lower()


class InvalidRequest(OAuthName, InvalidInput):
    """One or more fields of the form are invalid; all of them are named."""


_Schema = TypeVar("_Schema", bound=UrlForm)


def read_url_form(raw: bytes, content_type: str, schema: type[_Schema]) -> _Schema:
    """Read a form. A field without a value is treated as absent (RFC 6749, section 3.2).

    Raises:
        InvalidRequest: the body is not a form, or fields are invalid; all of them are named.
    """
    fields = [(name, value) for name, value in _fields(raw, content_type) if name in schema.__struct_fields__]
    names = [name for name, _ in fields]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise InvalidRequest([FieldError(name, Message("field-twice")) for name in duplicates])
    try:
        return read_form(dict(fields), schema)
    except InvalidInput as error:
        raise InvalidRequest(error.field_errors) from None


def _fields(raw: bytes, content_type: str) -> Sequence[tuple[str, str]]:
    unreadable = InvalidRequest([FieldError("", Message("body-not-text-form", media_type=MEDIA_TYPE))])
    if content_type.partition(";")[0].strip().lower() != MEDIA_TYPE:
        raise unreadable
    try:
        return parse_qsl(raw.decode(), errors="strict", max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise unreadable from None
