"""The OpenAPI document, generated from the contracts of the routes.

The schemas are generated from the types that decode requests and encode responses, so the document always matches the
implementation. No running service is needed.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from http import HTTPStatus
from typing import Any, get_args, get_origin

import msgspec
from litestar import Response
from msgspec import Struct

from playdock import __version__
from playdock.auth.errors import ForeignOrigin
from playdock.kit.errors import PlaydockError, TooManyAtOnce, TooManyFailures, Unauthenticated
from playdock.kit.examples import example_of
from playdock.kit.forms import Form
from playdock.kit.oauth import MEDIA_TYPE as URL_FORM_TYPE
from playdock.kit.oauth import UrlForm
from playdock.server.cookies import NAME as COOKIE
from playdock.server.request_rate import TooManyRequests, is_counted
from playdock.server.routing import BodyType, Caller, Contract, Route, permissions_in
from playdock.web import oauth
from playdock.web.problems import HTTP_PROBLEMS, Problem
from playdock.web.problems import MEDIA_TYPE as PROBLEM_TYPE
from playdock.web.routes import ROUTES

_REF = "#/components/schemas/{name}"
_NAME_IN_PATH = re.compile(r"{(\w+):(?:str|path)}")
_SAFE = frozenset({"GET", "HEAD"})
_ABOUT = (
    "Requests are authenticated by a bearer token (of a session or a device, or an API token) or the session cookie. "
    "Errors are problem documents (RFC 9457): `type` is stable, `detail` is for people. Below `/oauth/` they have "
    "OAuth's format. Times are UTC in ISO 8601. No text contains U+0000. A signed link has its credential in the "
    "parameter `link`. `/api/v1/task` is also a WebSocket that reports the progress of tasks: send `connect/<id>`."
)
_SECURITY = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A session's or a device's access token, or an API token.",
    },
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": (
            "The session cookie of a browser. With https its name begins with `__Host-`; if the service is below a "
            "path such as `/games`, with `__Secure-`, and it ends with `.games`."
        ),
    },
}
_IN_PATH = {
    "kind": {"type": "string", "enum": ["OpenID", "Simple"]},
    "path": {"type": "string", "description": "The path as in the manifest; slashes are not escaped."},
}
_TEXT = {"schema": {"type": "string"}}
_VALIDATORS = {
    "ETag": {"description": "The entity tag, for If-None-Match in later requests.", **_TEXT},
    "Cache-Control": {"description": "How long the response may be cached.", **_TEXT},
}
_RANGES = {
    "Range": "The requested bytes, such as bytes=0-1023 or bytes=-1; the response to several is multipart/byteranges.",
    "If-Range": "The ETag that the range applies to; if it has changed, the response is the whole content.",
}


@cache
def document_as_json(url_path: str = "") -> str:
    """Return the document of a service below a path as indented JSON. The result depends only on the routes."""
    return msgspec.json.format(msgspec.json.encode(document(ROUTES, url_path=url_path)), indent=2).decode()


def document(routes: Sequence[Route], *, url_path: str = "") -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of routes, which begin with ``url_path`` on their host."""
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for route in routes:
        described = _Operation(route, route.contract)
        path = _NAME_IN_PATH.sub(r"{\1}", route.path)
        for method in sorted(route.methods):
            paths[path][method.lower()] = described.as_json(method)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Playdock", "version": __version__, "description": _ABOUT},
        "servers": [{"url": url_path or "/"}],
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": _components(routes), "securitySchemes": _SECURITY},
    }


class _Operation(Struct, frozen=True):
    """The OpenAPI operation of a route."""

    route: Route
    contract: Contract

    def as_json(self, method: str) -> dict[str, Any]:
        name = self.contract.call.__name__
        operation: dict[str, Any] = {
            "operationId": name if method != "HEAD" else f"{name}_head",
            "summary": (self.contract.call.__doc__ or "").strip().splitlines()[0],
            "description": self._requirements(),
            "tags": [self.contract.call.__module__.split(".")[2].replace("_", " ")],
            "parameters": [*self._path_parameters(), *self._query_parameters(), *self._header_parameters()],
            "responses": {**self._success(method), **self._errors(method)},
            "security": [] if self.contract.requires is Caller.ANYBODY else [{"bearer": []}, {"cookie": []}],
        }
        if self.contract.body is not None:
            operation["requestBody"] = _request_body(self.contract.body)
        return operation

    def _requirements(self) -> str:
        requires = self.contract.requires
        needed = requires.value if isinstance(requires, Caller) else " and ".join(permissions_in(requires))
        return f"Requires: {needed}."

    def _path_parameters(self) -> Iterator[dict[str, Any]]:
        for name in _NAME_IN_PATH.findall(self.route.path):
            schema = _IN_PATH.get(name, {"type": "string", "format": "uuid"})
            yield {"name": name, "in": "path", "required": True, "schema": schema}

    def _query_parameters(self) -> Iterator[dict[str, Any]]:
        if self.contract.query is None:
            return
        _, components = msgspec.json.schema_components([self.contract.query], ref_template=_REF)
        described = components[self.contract.query.__name__]
        for name, field in described["properties"].items():
            required = name in described["required"]
            yield {"name": name, "in": "query", "required": required, "schema": _present(field)}

    def _header_parameters(self) -> Iterator[dict[str, Any]]:
        if self._is_conditional:
            about = "The ETag of the caller's copy; if it is current, the response is 304."
            yield {"name": "If-None-Match", "in": "header", "required": False, "description": about, **_TEXT}
        for name, about in _RANGES.items() if self.contract.ranges else ():
            yield {"name": name, "in": "header", "required": False, "description": about, **_TEXT}

    @property
    def _is_conditional(self) -> bool:
        return "HEAD" in self.route.methods

    def _success(self, method: str) -> dict[str, Any]:
        response_type = _response_type(self.contract)
        response: dict[str, Any] = {"description": HTTPStatus(self.contract.status).phrase}
        if self._is_conditional:
            response["headers"] = _VALIDATORS
        if response_type is bytes:
            media_types = filter(None, (self.contract.media_type, self.contract.alternative_type))
            response["content"] = {name: {"schema": {"type": "string", "format": "binary"}} for name in media_types}
        elif response_type not in (None, type(None)):
            content = {"schema": _schema(response_type), "example": example_of(response_type)}
            response["content"] = {self.contract.media_type: content}
        if method == "HEAD":
            response.pop("content", None)
        responses = {str(self.contract.status): response}
        if self._is_conditional:
            responses["304"] = {"description": "The caller's copy is current."}
        if (pending_type := self.contract.pending_type) is not None:
            content = {"schema": _schema(pending_type), "example": example_of(pending_type)}
            headers = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
            about = {"description": "The result is being created: retry later.", "headers": headers}
            responses["202"] = {**about, "content": {"application/json": content}}
        if self.contract.ranges and method != "HEAD":
            range_header = {"description": "The range and the total size, for a single range.", **_TEXT}
            content = {name: {} for name in (self.contract.media_type, "multipart/byteranges")}
            headers = {**_VALIDATORS, "Content-Range": range_header}
            responses["206"] = {"description": "The requested bytes.", "headers": headers, "content": content}
        return responses

    def _errors(self, method: str) -> dict[str, Any]:
        errors: list[type[PlaydockError]] = list(self.contract.errors)
        if method not in _SAFE:
            errors.append(ForeignOrigin)
        if is_counted(method, self.route.path):
            errors.append(TooManyRequests)
        by_status: dict[int, list[type[PlaydockError]]] = defaultdict(list)
        for error in errors:
            by_status[error.status].append(error)
        path = self.route.path
        described = {str(status): _problem(found, method, path) for status, found in sorted(by_status.items())}
        if self.contract.body is not None:
            described["413"] = _plain_problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, method, path)
        return {**described, "default": _plain_problem(HTTPStatus.INTERNAL_SERVER_ERROR, method, path)}


def _problem(errors: Sequence[type[PlaydockError]], method: str, path: str) -> dict[str, Any]:
    """Return the response for the errors of one status, with their codes and meanings."""
    listed = "; ".join(f"`{error.code()}`: {_meaning(error)}" for error in errors)
    described: dict[str, Any] = {"description": listed}
    if issubclass(errors[0], Unauthenticated):
        described["headers"] = {"WWW-Authenticate": {"description": "Always Bearer.", **_TEXT}}
    if issubclass(errors[0], TooManyFailures | TooManyAtOnce):
        described["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
    if method != "HEAD":
        error = errors[0]
        described["content"] = _error_content(
            path, code=error.code(), title=error.title(), status=error.status, detail=_meaning(error)
        )
    return described


def _plain_problem(status: HTTPStatus, method: str, path: str) -> dict[str, Any]:
    """Return the response for an error of the framework. Status 500 stands for all errors that are not listed."""
    entry = HTTP_PROBLEMS[status]
    about = f"`{entry.code}`: {entry.detail}"
    if status is HTTPStatus.INTERNAL_SERVER_ERROR:
        about = f"Any other error, such as {about}"
    described: dict[str, Any] = {"description": about}
    if method != "HEAD":
        content = _error_content(path, code=entry.code, title=entry.title, status=status, detail=entry.detail)
        described["content"] = content
    return described


def _error_content(path: str, *, code: str, title: str, status: int, detail: str) -> dict[str, Any]:
    """Return the content of an error response, in the format of its path."""
    if oauth.is_oauth_path(path):
        example = {"error": code, "error_description": detail}
        return {oauth.MEDIA_TYPE: {"schema": _schema(oauth.OAuthErrorResponse), "example": example}}
    example = _problem_example(code=code, title=title, status=status, detail=detail)
    return {PROBLEM_TYPE: {"schema": _schema(Problem), "example": example}}


def _problem_example(*, code: str, title: str, status: int, detail: str) -> dict[str, Any]:
    example = {**example_of(Problem), "type": code, "title": title, "status": int(status), "detail": detail}
    example |= {"statusCode": int(status), "statusMessage": title, "message": detail}
    if code != "invalid-input":
        del example["errors"]
    return example


def _meaning(error: type[PlaydockError]) -> str:
    return (error.__doc__ or "").strip().splitlines()[0]


def _request_body(kind: BodyType) -> dict[str, Any]:
    described = {"description": kind.limits.described} if issubclass(kind, Form) else {}
    return {**described, "required": True, "content": _request_content(kind)}


def _request_content(kind: BodyType) -> dict[str, Any]:
    if issubclass(kind, Form):
        return {"multipart/form-data": {"schema": _schema(kind)}}
    if issubclass(kind, UrlForm):
        return {URL_FORM_TYPE: {"schema": _schema(kind)}}
    return {"application/json": {"schema": _schema(kind), "example": example_of(kind)}}


def _response_type(contract: Contract) -> Any:
    """Return the type of the response body, without a surrounding `Response`."""
    if get_origin(contract.response_type) is Response:
        return get_args(contract.response_type)[0]
    return contract.response_type


def _schema(kind: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=_REF)
    described: dict[str, Any] = _simplified(schema)
    return described


def _simplified(schema: Any) -> Any:
    """Return a schema without ``items: false`` of tuples, which generators of clients reject; they have `maxItems`."""
    if isinstance(schema, list):
        return [_simplified(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _simplified(each) for name, each in schema.items() if (name, each) != ("items", False)}


def _components(routes: Sequence[Route]) -> dict[str, Any]:
    kinds: list[Any] = [Problem, oauth.OAuthErrorResponse]
    for route in routes:
        contract = route.contract
        used = (contract.body, contract.query, _response_type(contract))
        kinds += [kind for kind in used if kind not in (None, bytes, type(None))]
    _, components = msgspec.json.schema_components(kinds, ref_template=_REF)
    for name in {query.__name__ for route in routes if (query := route.contract.query)}:
        del components[name]  # a query is described by its parameters, which may refer to other components
    return {name: _simplified(schema) for name, schema in sorted(components.items())}


def _present(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter without null, because an optional parameter is absent rather than null."""
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    return options[0] if options else schema
