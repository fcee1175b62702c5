"""What OAuth's endpoints have of their own: forms in the body, names of errors (RFC 6749, sections 3.2 and 5.2)."""

import re
from collections.abc import Sequence
from typing import TypeVar
from urllib.parse import parse_qsl

import msgspec

from playdock.kit.bodies import read_form
from playdock.kit.errors import Fault, InvalidInput

MOST_FORM_BYTES = 16_384
MEDIA_TYPE = "application/x-www-form-urlencoded"
_MOST_FIELDS = 100


class UrlForm(msgspec.Struct, kw_only=True):
    """The fields of a form, in snake case as OAuth names them; unknown ones are left alone (RFC 6749, section 3.2)."""


class OAuthName:
    """Names an error as OAuth does: put it before the family, as in ``class SlowDown(OAuthName, Invalid)``."""

    @classmethod
    def code(cls) -> str:
        return "_".join(re.findall("[A-Z][a-z]*", cls.__name__)).lower()


class InvalidRequest(OAuthName, InvalidInput):
    """The form breaks one or more rules; every one is named."""


_Schema = TypeVar("_Schema", bound=UrlForm)


def read_url_form(raw: bytes, content_type: str, schema: type[_Schema]) -> _Schema:
    """Read a form; a field without a value counts as left out (RFC 6749, section 3.2).

    Raises:
        InvalidRequest: this is no such form, or naming each field at fault.
    """
    fields = [(name, value) for name, value in _fields(raw, content_type) if name in schema.__struct_fields__]
    names = [name for name, _ in fields]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidRequest([Fault(name, "This field is there twice.") for name in twice])
    try:
        return read_form(dict(fields), schema)
    except InvalidInput as refused:
        raise InvalidRequest(refused.faults) from None


def _fields(raw: bytes, content_type: str) -> Sequence[tuple[str, str]]:
    unreadable = InvalidRequest([Fault("", f"The body must be {MEDIA_TYPE} in UTF-8.")])
    if content_type.partition(";")[0].strip().lower() != MEDIA_TYPE:
        raise unreadable
    try:
        return parse_qsl(raw.decode(), errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise unreadable from None
