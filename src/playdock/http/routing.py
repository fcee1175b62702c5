"""Routes that say whom they need.

`get`, `post`, `patch` and `delete` make a route whose rights are checked before its body is read, and whose
handler runs in a worker thread unless it is async. One that ``touches_disk``, that of a library, runs in a few threads
kept for that: a share that hangs holds up nothing else. One with ``ranges`` answers parts of what it has, as RFC 9110
has it; ``later`` is what it answers, with 202, while something is being made, and ``or_as`` another media type that a
caller may ask for.

A parameter of a `Body` type is the decoded body, one of a `Form` type a form with files, one of a `UrlForm` type a form
of OAuth's, one of a `Query` type the decoded query, ``actor`` is who calls, names in the path are strings, and all
others name a service.
What the route needs, answers and raises stays with it, and the OpenAPI document is made from that.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

from anyio import to_thread
from litestar import HttpMethod, Request, Response, route
from litestar.connection import ASGIConnection
from litestar.exceptions import NotFoundException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.auth.errors import NotAllowed, SessionNeeded, SignInNeeded
from playdock.kit.bodies import Body, Query, decode, read_query
from playdock.kit.errors import InvalidInput, PlaydockError
from playdock.kit.forms import Form, FormReader
from playdock.kit.oauth import MOST_FORM_BYTES, InvalidRequest, UrlForm, read_url_form

MOST_BODY_BYTES = 65_536

AnyRequest = Request[Any, Any, Any]
AnyConnection = ASGIConnection[Any, Any, Any, Any]


class Caller(Enum):
    """Whom a route needs where no single right says it."""

    ANYBODY = "anybody"
    SIGNED_IN = "signed in, by whatever credential"
    SESSION = "signed in as a person, not with a token"


Taken = type[Body] | type[Form] | type[UrlForm]
Needs = Acl | tuple[Acl, ...] | Caller
Source = Callable[[AnyRequest], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Contract:
    """What a route promises: whom it needs, what it reads and answers, how it can fail, and what carries it out."""

    needs: Needs
    status: int
    body: Taken | None
    query: type[Query] | None
    answer: Any
    media_type: str
    errors: tuple[type[PlaydockError], ...]
    touches_disk: bool
    ranges: bool
    later: Any
    or_as: str
    call: Callable[..., Any]


def actor_of(connection: AnyConnection) -> Actor | None:
    """Give who is calling, as the middleware found it."""
    found: Actor | None = connection.scope.get("user")
    return found


def secret_of(connection: AnyConnection) -> str:
    """Give the secret that the caller showed, empty if none."""
    found: str | None = connection.scope.get("auth")
    return found or ""


def address_of(connection: AnyConnection) -> str:
    """Give the address a request comes from, as far as the server and its trusted proxies tell."""
    return connection.client.host if connection.client else ""


def contract_of(handler: BaseRouteHandler) -> Contract:
    contract: Contract = handler.opt["contract"]
    return contract


def rights_in(needs: Needs) -> tuple[Acl, ...]:
    """Give the rights that are needed, all of them."""
    if isinstance(needs, Caller):
        return ()
    return (needs,) if isinstance(needs, Acl) else needs


def admit(connection: AnyConnection, needs: Needs) -> None:
    """Let a request in, or say why not.

    Raises:
        SignInNeeded, NotAllowed, SessionNeeded: as the needs have it.
    """
    if needs is Caller.ANYBODY:
        return
    actor = actor_of(connection)
    if actor is None:
        raise SignInNeeded
    for right in rights_in(needs):
        actor.require(right)
    if needs is Caller.SESSION:
        actor.require_session()


async def _arguments(request: AnyRequest, sources: Mapping[str, Source]) -> dict[str, Any]:
    return {name: await source(request) for name, source in sources.items()}


def _source(name: str, kind: Any, path: str) -> Source:
    """Decide where a handler's parameter comes from."""
    if name == "request":
        return _whole_request
    if name == "actor":
        return _actor
    if f"{{{name}:" in path:
        return partial(_path_part, name)
    for schema, read in _READ.items():
        if isinstance(kind, type) and issubclass(kind, schema):
            return partial(read, kind)
    return partial(_service, name)


async def _whole_request(request: AnyRequest) -> AnyRequest:
    return request


async def _actor(request: AnyRequest) -> Actor:
    actor = actor_of(request)
    if actor is None:
        raise SignInNeeded
    return actor


async def _path_part(name: str, request: AnyRequest) -> str:
    part = str(request.path_params[name]).removeprefix("/")
    if "\0" in part:
        raise NotFoundException
    return part


async def _body(schema: type[Body], request: AnyRequest) -> Body:
    raw = await request.body()
    if len(raw) <= MOST_BODY_BYTES:
        return decode(raw, schema)
    return await to_thread.run_sync(decode, raw, schema)


async def _form(schema: type[Form], request: AnyRequest) -> Form:
    reader = FormReader(schema, request.headers.get("content-type", ""))
    try:
        async for piece in request.stream():
            reader.feed(piece)
    except RequestEntityTooLarge:
        raise schema.limits.passed() from None
    return await to_thread.run_sync(reader.decoded)


async def _url_form(schema: type[UrlForm], request: AnyRequest) -> UrlForm:
    return read_url_form(await request.body(), request.headers.get("content-type", ""), schema)


async def _query(schema: type[Query], request: AnyRequest) -> Query:
    return read_query(request.query_params, schema)


# Unless a handler says otherwise an answer is for who asked alone, since it may hold secrets, and of no other type.
_UNTOLD = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

_READ: Mapping[type[Any], Callable[[Any, AnyRequest], Awaitable[Any]]] = {
    Body: _body,
    Form: _form,
    UrlForm: _url_form,
    Query: _query,
}


async def _service(name: str, request: AnyRequest) -> Any:
    return getattr(request.app.state.services, name)


def _of_kind(kinds: Mapping[str, Any], *wanted: type[Any]) -> type[Any] | None:
    return next((found for found in kinds.values() if isinstance(found, type) and issubclass(found, wanted)), None)


def _errors_of(needs: Needs, *reads: type[Any] | None) -> Iterator[type[PlaydockError]]:
    if needs is not Caller.ANYBODY:
        yield SignInNeeded
    if rights_in(needs):
        yield NotAllowed
    if needs is Caller.SESSION:
        yield SessionNeeded
    read = [schema for schema in reads if schema is not None]
    if read:
        yield InvalidRequest if issubclass(read[0], UrlForm) else InvalidInput


def _route(
    method: HttpMethod,
    path: str,
    *,
    needs: Needs,
    status: int = 200,
    raises: Sequence[type[PlaydockError]] = (),
    media_type: str = "application/json",
    answer: Any = None,
    with_head: bool = False,
    ranges: bool = False,
    later: Any = None,
    or_as: str = "",
    touches_disk: bool = False,
    most_bytes: int = MOST_BODY_BYTES,
) -> Callable[[Callable[..., Any]], HTTPRouteHandler]:
    def decorate(call: Callable[..., Any]) -> HTTPRouteHandler:
        signature = inspect.signature(call)
        kinds = {name: parameter.annotation for name, parameter in signature.parameters.items()}
        body, query = _of_kind(kinds, Body, Form, UrlForm), _of_kind(kinds, Query)
        contract = Contract(
            needs=needs,
            status=status,
            body=body,
            query=query,
            answer=answer or signature.return_annotation,
            media_type=media_type,
            errors=(*_errors_of(needs, body, query), *raises),
            touches_disk=touches_disk,
            ranges=ranges,
            later=later,
            or_as=or_as,
            call=call,
        )
        return route(
            path,
            http_method=[method, HttpMethod.HEAD] if with_head or ranges else method,
            status_code=200,
            request_max_body_size=_most_bytes(body, most_bytes),
            opt={"contract": contract},
        )(_handler(contract, {name: _source(name, kind, path) for name, kind in kinds.items()}))

    return decorate


def _most_bytes(body: Taken | None, otherwise: int) -> int:
    if body is not None and issubclass(body, UrlForm):
        return MOST_FORM_BYTES
    return body.limits.most_body_bytes if body is not None and issubclass(body, Form) else otherwise


def _handler(contract: Contract, sources: Mapping[str, Source]) -> Callable[[AnyRequest], Awaitable[Response[Any]]]:
    """Make what the framework calls. What is not async talks to the database or the disk, so it gets a thread."""
    call = contract.call
    if inspect.iscoroutinefunction(call):

        async def run(request: AnyRequest) -> Response[Any]:
            admit(request, contract.needs)
            return _response(await call(**await _arguments(request, sources)), contract)

        return run

    async def run_in_thread(request: AnyRequest) -> Response[Any]:
        admit(request, contract.needs)
        arguments = await _arguments(request, sources)
        threads = request.app.state.services.disk_threads if contract.touches_disk else None
        return _response(await to_thread.run_sync(partial(call, **arguments), limiter=threads), contract)

    return run_in_thread


def _response(answer: Any, contract: Contract) -> Response[Any]:
    if not isinstance(answer, Response):
        return Response(answer, status_code=contract.status, media_type=contract.media_type, headers=_UNTOLD)
    answer.status_code = answer.status_code or contract.status
    answer.headers.update({name: value for name, value in _UNTOLD.items() if name not in answer.headers})
    return answer


get = partial(_route, HttpMethod.GET)
post = partial(_route, HttpMethod.POST)
patch = partial(_route, HttpMethod.PATCH)
delete = partial(_route, HttpMethod.DELETE, status=204)
