"""Routes that say whom they need.

`get`, `post`, `patch` and `delete` make a route whose rights are checked before its body is read, and whose
handler runs in a worker thread unless it is async. A parameter of a `Body` type is the decoded body, one of a `Query`
type the decoded query, ``actor`` is who calls, names in the path are strings, and all others are services.
What the route needs, answers and raises stays with it, and the OpenAPI document is made from that.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial, wraps
from typing import Any

from anyio import to_thread
from litestar import HttpMethod, Request, route
from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.auth.errors import NotAllowed, SessionNeeded, SignInNeeded
from playdock.kit.bodies import Body, Query, decode, read_query
from playdock.kit.errors import InvalidInput, PlaydockError

AnyRequest = Request[Any, Any, Any]
AnyConnection = ASGIConnection[Any, Any, Any, Any]


class Caller(Enum):
    """Whom a route needs where no single right says it."""

    ANYBODY = "anybody"
    SIGNED_IN = "signed in, by whatever credential"
    SESSION = "signed in as a person, not with a token"


Needs = Acl | Caller


@dataclass(frozen=True, slots=True)
class Contract:
    """What a route promises: whom it needs, what it reads and answers, and how it can fail."""

    needs: Needs
    status: int
    body: type[Body] | None
    query: type[Query] | None
    answer: Any
    media_type: str
    errors: tuple[type[PlaydockError], ...]


def actor_of(connection: AnyConnection) -> Actor | None:
    """Give who is calling, as the middleware found it."""
    found: Actor | None = connection.scope.get("user")
    return found


def secret_of(connection: AnyConnection) -> str:
    """Give the secret that the caller showed, empty if none."""
    found: str | None = connection.scope.get("auth")
    return found or ""


def provide_actor(request: AnyRequest) -> Actor:
    actor = actor_of(request)
    if actor is None:
        raise SignInNeeded
    return actor


def address_of(connection: AnyConnection) -> str:
    """Give the address a request comes from, as far as the server and its trusted proxies tell."""
    return connection.client.host if connection.client else ""


def contract_of(handler: BaseRouteHandler) -> Contract:
    contract: Contract = handler.opt["contract"]
    return contract


def admit(connection: AnyConnection, handler: BaseRouteHandler) -> None:
    """Let a request in, or say why not.

    Raises:
        SignInNeeded, NotAllowed, SessionNeeded: as the route's needs have it.
    """
    needs = contract_of(handler).needs
    if needs is Caller.ANYBODY:
        return
    actor = actor_of(connection)
    if actor is None:
        raise SignInNeeded
    if isinstance(needs, Acl):
        actor.require(needs)
    if needs is Caller.SESSION:
        actor.require_session()


def _body_reader(schema: type[Body]) -> Provide:
    async def read(request: AnyRequest) -> Any:
        return decode(await request.body(), schema)

    return Provide(read)


def _query_reader(schema: type[Query]) -> Provide:
    def read(request: AnyRequest) -> Any:
        return read_query(request.query_params, schema)

    return Provide(read, sync_to_thread=False)


def _readers(parameters: Mapping[str, type]) -> dict[str, Provide]:
    readers = {}
    for name, kind in parameters.items():
        if issubclass(kind, Body):
            readers[name] = _body_reader(kind)
        if issubclass(kind, Query):
            readers[name] = _query_reader(kind)
    return readers


def _of_kind(parameters: Mapping[str, type], kind: type[Any]) -> type[Any] | None:
    return next((found for found in parameters.values() if issubclass(found, kind)), None)


def _errors_of(needs: Needs, *, reads: bool) -> Iterator[type[PlaydockError]]:
    if needs is not Caller.ANYBODY:
        yield SignInNeeded
    if isinstance(needs, Acl):
        yield NotAllowed
    if needs is Caller.SESSION:
        yield SessionNeeded
    if reads:
        yield InvalidInput


def _in_thread(call: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Run a handler in a worker thread: it talks to the database or the disk."""

    @wraps(call)
    async def run(**arguments: Any) -> Any:
        return await to_thread.run_sync(partial(call, **arguments))

    return run


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
) -> Callable[[Callable[..., Any]], HTTPRouteHandler]:
    def decorate(call: Callable[..., Any]) -> HTTPRouteHandler:
        signature = inspect.signature(call)
        parameters = {
            name: parameter.annotation
            for name, parameter in signature.parameters.items()
            if isinstance(parameter.annotation, type)
        }
        body, query = _of_kind(parameters, Body), _of_kind(parameters, Query)
        contract = Contract(
            needs=needs,
            status=status,
            body=body,
            query=query,
            answer=answer or signature.return_annotation,
            media_type=media_type,
            errors=(*_errors_of(needs, reads=bool(body or query)), *raises),
        )
        return route(
            path,
            http_method=[method, HttpMethod.HEAD] if with_head else method,
            guards=[admit],
            status_code=status,
            dependencies=_readers(parameters),
            media_type=media_type,
            opt={"contract": contract},
        )(call if inspect.iscoroutinefunction(call) else _in_thread(call))

    return decorate


get = partial(_route, HttpMethod.GET)
post = partial(_route, HttpMethod.POST)
patch = partial(_route, HttpMethod.PATCH)
delete = partial(_route, HttpMethod.DELETE, status=204)
