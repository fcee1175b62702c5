"""Reading the body and the query of a request by their schemas."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from anyio import to_thread
from litestar import Request
from litestar.exceptions.http_exceptions import InternalServerException, RequestEntityTooLarge

from playdock.kit.bodies import Query, RequestBody, decode, read_query
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.forms import Form, FormReader
from playdock.kit.messages import Message
from playdock.kit.oauth import UrlForm, read_url_form

# Enough for all routes except those that set a limit of their own. Decoding this much in the event loop takes less time
# than switching to a thread.
MAX_JSON_BODY_BYTES = 65_536

# No route has more than a dozen.
MAX_QUERY_PARAMETERS = 100

_Request = Request[Any, Any, Any]


class ClientDisconnected(Exception):
    """The connection was closed before the whole body of the request was received."""


async def _read_body(schema: type[RequestBody], request: _Request) -> RequestBody:
    with _reading():
        raw = await request.body()
    if len(raw) <= MAX_JSON_BODY_BYTES:
        return decode(raw, schema)
    return await to_thread.run_sync(decode, raw, schema)


async def _read_form(schema: type[Form], request: _Request) -> Form:
    reader = FormReader(schema, request.headers.get("content-type", ""))
    try:
        with _reading():
            async for piece in request.stream():
                reader.feed(piece)
    except RequestEntityTooLarge:
        raise schema.limits.exceeded() from None
    return await to_thread.run_sync(reader.decoded)


async def _read_url_form(schema: type[UrlForm], request: _Request) -> UrlForm:
    with _reading():
        raw = await request.body()
    return read_url_form(raw, request.headers.get("content-type", ""), schema)


@contextmanager
def _reading() -> Iterator[None]:
    """Raise ClientDisconnected for the error by which the framework reports that."""
    try:
        yield
    except InternalServerException:
        raise ClientDisconnected from None


async def _read_query(schema: type[Query], request: _Request) -> Query:
    if request.scope["query_string"].count(b"&") >= MAX_QUERY_PARAMETERS:
        raise InvalidInput([FieldError("", Message("too-many-parameters", count=MAX_QUERY_PARAMETERS))])
    return read_query(request.query_params, schema)


# By the base class of a parameter's type.
READERS: Mapping[type[Any], Callable[[Any, _Request], Awaitable[Any]]] = {
    RequestBody: _read_body,
    Form: _read_form,
    UrlForm: _read_url_form,
    Query: _read_query,
}
