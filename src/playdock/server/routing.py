"""Routes that declare their permissions, request, response and errors.

`get`, `post`, `put`, `patch` and `delete` return a `Route`: a handler with its contract. `Route.bind` returns the
framework's handler: permissions are checked before the body is read, and the handler runs in a worker thread unless it
is async. A route with ``touches_disk`` accesses the disk of a library and runs in separate threads, so that a hanging
network share does not delay other routes. So does one with ``processes_images``, which waits for a slot before its body
is read, unless the body is too small for an image. Routes with a method other than GET run in `WriteThreads`. A route
with ``ranges`` supports range requests (RFC 9110). ``pending_type`` is the body of a 202 response while the result is
being created, and ``alternative_type`` another media type that a caller may request.

A parameter of a `RequestBody` type is the decoded body, one of a `Form` type a form with files, one of a `UrlForm` type
an OAuth form, one of a `Query` type the decoded query, ``actor`` is the caller, and names in the path are strings. The
type of every other parameter selects a service when the application is built (`server/injection.py`).
The OpenAPI document is generated from the contracts.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any

from anyio import to_thread
from litestar import HttpMethod, Request, Response, route
from litestar.connection import ASGIConnection
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from msgspec import Struct

from playdock.audit.rules import Action
from playdock.audit.service import AuditLog
from playdock.auth.actor import Actor
from playdock.auth.errors import DeviceRequired, PermissionMissing, SessionRequired, SignInRequired
from playdock.auth.permissions import Permission
from playdock.db.retrying import retry_conflicts
from playdock.kit.bodies import Query, RequestBody
from playdock.kit.errors import InvalidInput, PlaydockError
from playdock.kit.forms import Form
from playdock.kit.limited_threads import LimitedThreads
from playdock.kit.oauth import MAX_FORM_BYTES, InvalidRequest, UrlForm
from playdock.server.disk_threads import DiskBusy, DiskThreads
from playdock.server.image_threads import ImageQueueFull, ImageThreads
from playdock.server.injection import ServiceRegistry
from playdock.server.request_reading import MAX_JSON_BODY_BYTES, READERS
from playdock.server.write_threads import WriteThreads

AnyRequest = Request[Any, Any, Any]
AnyConnection = ASGIConnection[Any, Any, Any, Any]


class Caller(Enum):
    """The callers that a route admits if it does not require a particular permission."""

    ANYBODY = "no credential"
    SIGNED_IN = "any credential"
    SESSION = "a session, not a token"
    DEVICE = "a device"


BodyType = type[RequestBody] | type[Form] | type[UrlForm]
Requirement = Permission | tuple[Permission, ...] | Caller
Source = Callable[[AnyRequest], Awaitable[Any]]


class Contract(Struct, frozen=True):
    """The declarations of a route: its requirements, request, response and errors, and its handler."""

    requires: Requirement
    status: int
    body: BodyType | None
    query: type[Query] | None
    response_type: Any
    media_type: str
    errors: tuple[type[PlaydockError], ...]
    touches_disk: bool
    processes_images: bool
    ranges: bool
    pending_type: Any
    alternative_type: str
    call: Callable[..., Any]


class Route(Struct, frozen=True):
    """A route of the API, before it is bound to services."""

    path: str
    methods: tuple[str, ...]
    contract: Contract
    max_body_bytes: int

    def bind(self, services: ServiceRegistry) -> HTTPRouteHandler:
        """Return the framework's handler, bound to the services that its parameters select.

        Raises:
            UnresolvedDependency: the type of a parameter does not select exactly one service.
        """
        decorate = route(
            self.path,
            http_method=[HttpMethod(method) for method in self.methods],
            status_code=200,
            request_max_body_size=self.max_body_bytes,
        )
        return decorate(_handler(self, services))


def actor_of(connection: AnyConnection) -> Actor | None:
    """Return the caller that the middleware identified, None if there is none."""
    actor: Actor | None = connection.scope.get("user")
    return actor


def secret_of(connection: AnyConnection) -> str:
    """Return the secret of the caller's credential, empty if there is none."""
    secret: str | None = connection.scope.get("auth")
    return secret or ""


def address_of(connection: AnyConnection) -> str:
    """Return the IP address of the client, as reported by the server and its trusted proxies, empty if unknown."""
    return connection.client.host if connection.client else ""


def permissions_in(requires: Requirement) -> tuple[Permission, ...]:
    """Return all required permissions."""
    if isinstance(requires, Caller):
        return ()
    return (requires,) if isinstance(requires, Permission) else requires


def admit(connection: AnyConnection, requires: Requirement) -> None:
    """Raise unless the caller meets the requirements of the route.

    Raises:
        SignInRequired, PermissionMissing, SessionRequired, DeviceRequired: a requirement is not met.
    """
    if requires is Caller.ANYBODY:
        return
    actor = actor_of(connection)
    if actor is None:
        raise SignInRequired
    for permission in permissions_in(requires):
        actor.require(permission)
    if requires is Caller.SESSION:
        actor.require_session()
    if requires is Caller.DEVICE:
        actor.require_device()


async def _arguments(request: AnyRequest, sources: Mapping[str, Source]) -> dict[str, Any]:
    return {name: await source(request) for name, source in sources.items()}


def _source(name: str, kind: Any, path: str) -> Source | None:
    """Return the function that reads a parameter from a request, None if the parameter is a service."""
    if name == "request":
        return _request
    if name == "actor":
        return _actor
    if f"{{{name}:" in path:
        return partial(_path_part, name)
    for schema, read in READERS.items():
        if isinstance(kind, type) and issubclass(kind, schema):
            return partial(read, kind)
    return None


async def _request(request: AnyRequest) -> AnyRequest:
    return request


async def _actor(request: AnyRequest) -> Actor:
    actor = actor_of(request)
    if actor is None:
        raise SignInRequired
    return actor


async def _path_part(name: str, request: AnyRequest) -> str:
    part = str(request.path_params[name]).removeprefix("/")
    if "\0" in part:
        raise NotFoundException
    return part


# By default responses are not cached, since they may contain secrets.
_DEFAULT_HEADERS = {"Cache-Control": "no-store"}


def _first_subclass(types: Sequence[Any], *bases: type[Any]) -> type[Any] | None:
    return next((each for each in types if isinstance(each, type) and issubclass(each, bases)), None)


def _errors_of(requires: Requirement, *reads: type[Any] | None) -> Iterator[type[PlaydockError]]:
    if requires is not Caller.ANYBODY:
        yield SignInRequired
    if permissions_in(requires):
        yield PermissionMissing
    if requires is Caller.SESSION:
        yield SessionRequired
    if requires is Caller.DEVICE:
        yield DeviceRequired
    read = [schema for schema in reads if schema is not None]
    if read:
        yield InvalidRequest if issubclass(read[0], UrlForm) else InvalidInput


def _route(
    method: HttpMethod,
    path: str,
    *,
    requires: Requirement,
    status: int = 200,
    raises: Sequence[type[PlaydockError]] = (),
    media_type: str = "application/json",
    response_type: Any = None,
    with_head: bool = False,
    ranges: bool = False,
    pending_type: Any = None,
    alternative_type: str = "",
    touches_disk: bool = False,
    processes_images: bool = False,
    max_body_bytes: int = MAX_JSON_BODY_BYTES,
) -> Callable[[Callable[..., Any]], Route]:
    def decorate(call: Callable[..., Any]) -> Route:
        signature = inspect.signature(call)
        types = [parameter.annotation for parameter in signature.parameters.values()]
        body, query = _first_subclass(types, RequestBody, Form, UrlForm), _first_subclass(types, Query)
        contract = Contract(
            requires=requires,
            status=status,
            body=body,
            query=query,
            response_type=response_type or signature.return_annotation,
            media_type=media_type,
            errors=(
                *_errors_of(requires, body, query),
                *raises,
                *((ImageQueueFull,) if processes_images else ()),
                *((DiskBusy,) if touches_disk else ()),
            ),
            touches_disk=touches_disk,
            processes_images=processes_images,
            ranges=ranges,
            pending_type=pending_type,
            alternative_type=alternative_type,
            call=call,
        )
        methods = (method.value, "HEAD") if with_head or ranges else (method.value,)
        return Route(path, methods, contract, _max_body_bytes(body, max_body_bytes))

    return decorate


def _max_body_bytes(body: BodyType | None, default: int) -> int:
    if body is not None and issubclass(body, UrlForm):
        return MAX_FORM_BYTES
    return body.limits.max_body_bytes if body is not None and issubclass(body, Form) else default


def _handler(each: Route, services: ServiceRegistry) -> Callable[[AnyRequest], Awaitable[Response[Any]]]:
    """Return the framework's handler. A call that is not async runs in a thread, since it may wait for I/O."""
    path, contract = each.path, each.contract
    sources: dict[str, Source] = {}
    bound: dict[str, Any] = {}
    for name, parameter in inspect.signature(contract.call).parameters.items():
        source = _source(name, parameter.annotation, path)
        if source is None:
            bound[name] = services.find(parameter.annotation, call=contract.call, parameter=name)
        else:
            sources[name] = source
    call = partial(contract.call, **bound)
    if inspect.iscoroutinefunction(contract.call):

        async def run(request: AnyRequest) -> Response[Any]:
            admit(request, contract.requires)
            return _response(await call(**await _arguments(request, sources)), contract)

        return run

    in_thread = _thread_runner(each, services)
    audit_log = _audit_log(each, services)

    async def run_in_thread(request: AnyRequest) -> Response[Any]:
        admit(request, contract.requires)
        arguments = await _arguments(request, sources)
        attempt = partial(retry_conflicts, partial(call, **arguments))
        if audit_log:
            attempt = partial(audit_log.record, actor_of(request), _action(request, contract, arguments), attempt)
        return _response(await in_thread(attempt), contract)

    if not contract.processes_images:
        return run_in_thread
    images = _image_threads(each, services)

    async def run_in_slot(request: AnyRequest) -> Response[Any]:
        admit(request, contract.requires)
        if _is_short(request):
            return await run_in_thread(request)
        async with images.slot((await _actor(request)).user.id):
            return await run_in_thread(request)

    return run_in_slot


def _audit_log(each: Route, services: ServiceRegistry) -> AuditLog | None:
    """Return the log for the calls of a route with which administrators change something, None for other routes."""
    system = any(permission.is_system for permission in permissions_in(each.contract.requires))
    if HttpMethod.GET in each.methods or not system:
        return None
    found: AuditLog = services.find(AuditLog, call=each.contract.call, parameter="requires")
    return found


def _action(request: AnyRequest, contract: Contract, arguments: Mapping[str, Any]) -> Action:
    ids = {name: value for name, value in arguments.items() if name in request.path_params}
    body = next((each for each in arguments.values() if isinstance(each, RequestBody | Form)), None)
    return Action(contract.call.__name__, permissions_in(contract.requires), address_of(request), ids, body)


def _is_short(request: AnyRequest) -> bool:
    """Return whether the body of a request takes little memory, as one that only changes a name."""
    length = request.headers.get("content-length", "")
    return length.isdecimal() and int(length) <= MAX_JSON_BODY_BYTES


def _image_threads(each: Route, services: ServiceRegistry) -> ImageThreads:
    found: ImageThreads = services.find(ImageThreads, call=each.contract.call, parameter="processes_images")
    return found


def _thread_runner(each: Route, services: ServiceRegistry) -> Callable[[Callable[[], Any]], Awaitable[Any]]:
    """Return the function that runs the calls of a route in threads."""
    contract = each.contract
    threads: LimitedThreads
    if contract.touches_disk:
        threads = services.find(DiskThreads, call=contract.call, parameter="touches_disk")
        return threads.run
    if contract.processes_images:
        return partial(to_thread.run_sync, limiter=_image_threads(each, services).threads)
    if HttpMethod.GET not in each.methods:
        threads = services.find(WriteThreads, call=contract.call, parameter="method")
        return threads.run
    return to_thread.run_sync


def _response(result: Any, contract: Contract) -> Response[Any]:
    if not isinstance(result, Response):
        return Response(result, status_code=contract.status, media_type=contract.media_type, headers=_DEFAULT_HEADERS)
    result.status_code = result.status_code or contract.status
    result.headers.update({name: value for name, value in _DEFAULT_HEADERS.items() if name not in result.headers})
    return result


get = partial(_route, HttpMethod.GET)
post = partial(_route, HttpMethod.POST)
put = partial(_route, HttpMethod.PUT)
patch = partial(_route, HttpMethod.PATCH)
delete = partial(_route, HttpMethod.DELETE, status=204)
