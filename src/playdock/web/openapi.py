"""The OpenAPI document, made from what the routes promise.

The schemas are those of the very types that decode requests and encode answers, so the document cannot drift from
what the service does. Nothing needs to run for it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any, get_args, get_origin

import msgspec
from litestar import Response
from litestar.handlers import HTTPRouteHandler

from playdock import __version__
from playdock.auth.errors import ForeignOrigin
from playdock.http.cookies import NAME as COOKIE
from playdock.http.routing import Caller, Contract, Taken, contract_of, rights_in
from playdock.kit.errors import PlaydockError, TooManyFailures, TooMuchAtOnce, Unauthenticated
from playdock.kit.forms import Form
from playdock.kit.oauth import MEDIA_TYPE as URL_FORM_TYPE
from playdock.kit.oauth import UrlForm
from playdock.web import oauth
from playdock.web.examples import EXAMPLES
from playdock.web.problems import MEDIA_TYPE as PROBLEM_TYPE
from playdock.web.problems import PLAIN, Problem
from playdock.web.routes import ROUTES

_REF = "#/components/schemas/{name}"
_NAME_IN_PATH = re.compile(r"{(\w+):(?:str|path)}")
_SAFE = frozenset({"GET", "HEAD"})
_ABOUT = (
    "Calls carry a bearer token (of a session or a device, or an API token) or the session cookie. Errors are problem "
    "documents (RFC 9457): `type` is stable, `detail` is for people; below `/oauth/` they have OAuth's form. Times are "
    "UTC in ISO 8601. No text contains U+0000. A signed link carries its credential in the parameter `link`. "
    "`/api/v1/task` is also a web socket that tells the progress of tasks: send `connect/<id>`."
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
        "description": "The session cookie of a browser; by https its name begins with `__Host-`.",
    },
}
_IN_PATH = {
    "kind": {"type": "string", "enum": ["OpenID", "Simple"]},
    "path": {"type": "string", "description": "The path as the manifest has it; slashes stay as they are."},
}
_TEXT = {"schema": {"type": "string"}}
_VALIDATORS = {
    "ETag": {"description": "What an If-None-Match header may name later.", **_TEXT},
    "Cache-Control": {"description": "How long the answer may be kept.", **_TEXT},
}
_RANGES = {
    "Range": "Which bytes are wanted, such as bytes=0-1023 or bytes=-1; several are answered as multipart/byteranges.",
    "If-Range": "The ETag that the range is of; if it is another now, the answer is the whole.",
}


@cache
def document_as_json() -> str:
    """Give the document as indented JSON; the same routes give the same bytes."""
    return msgspec.json.format(msgspec.json.encode(document(ROUTES)), indent=2).decode()


def document(routes: Sequence[HTTPRouteHandler]) -> dict[str, Any]:
    """Describe routes in OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for route in routes:
        described = _Operation(route, contract_of(route))
        path = _NAME_IN_PATH.sub(r"{\1}", next(iter(route.paths)))
        for method in sorted(route.http_methods):
            paths[path][method.lower()] = described.as_json(method)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Playdock", "version": __version__, "description": _ABOUT},
        "servers": [{"url": "/"}],
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": _components(routes), "securitySchemes": _SECURITY},
    }


@dataclass(frozen=True, slots=True)
class _Operation:
    """One route in the document's words."""

    route: HTTPRouteHandler
    contract: Contract

    def as_json(self, method: str) -> dict[str, Any]:
        name = self.contract.call.__name__
        operation: dict[str, Any] = {
            "operationId": name if method != "HEAD" else f"{name}_head",
            "summary": (self.contract.call.__doc__ or "").strip().splitlines()[0],
            "description": self._needs(),
            "tags": [self.contract.call.__module__.split(".")[2].replace("_", " ")],
            "parameters": [*self._path_parameters(), *self._query_parameters(), *self._header_parameters()],
            "responses": {**self._success(method), **self._errors(method)},
            "security": [] if self.contract.needs is Caller.ANYBODY else [{"bearer": []}, {"cookie": []}],
        }
        if self.contract.body is not None:
            operation["requestBody"] = {"required": True, "content": _taken(self.contract.body)}
        return operation

    def _needs(self) -> str:
        needs = self.contract.needs
        return f"Needs: {needs.value if isinstance(needs, Caller) else ' and '.join(rights_in(needs))}."

    def _path_parameters(self) -> Iterator[dict[str, Any]]:
        for name in _NAME_IN_PATH.findall(next(iter(self.route.paths))):
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
            about = "The ETag that the caller has; if nothing changed, the answer is 304."
            yield {"name": "If-None-Match", "in": "header", "required": False, "description": about, **_TEXT}
        for name, about in _RANGES.items() if self.contract.ranges else ():
            yield {"name": name, "in": "header", "required": False, "description": about, **_TEXT}

    @property
    def _is_conditional(self) -> bool:
        return "HEAD" in self.route.http_methods

    def _success(self, method: str) -> dict[str, Any]:
        answer = _answer(self.contract)
        response: dict[str, Any] = {"description": HTTPStatus(self.contract.status).phrase}
        if self._is_conditional:
            response["headers"] = _VALIDATORS
        if answer is bytes:
            kinds = filter(None, (self.contract.media_type, self.contract.or_as))
            response["content"] = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in kinds}
        elif answer not in (None, type(None)):
            content = {"schema": _schema(answer), "example": _example(answer)}
            response["content"] = {self.contract.media_type: content}
        if method == "HEAD":
            response.pop("content", None)
        answers = {str(self.contract.status): response}
        if self._is_conditional:
            answers["304"] = {"description": "What the caller has is what there is."}
        if self.contract.later is not None:
            content = {"schema": _schema(self.contract.later), "example": _example(self.contract.later)}
            headers = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
            about = {"description": "It is being made: ask again.", "headers": headers}
            answers["202"] = {**about, "content": {"application/json": content}}
        if self.contract.ranges and method != "HEAD":
            told = {"Content-Range": {"description": "Which bytes of how many these are, if it is one range.", **_TEXT}}
            content = {kind: {} for kind in (self.contract.media_type, "multipart/byteranges")}
            headers = {**_VALIDATORS, **told}
            answers["206"] = {"description": "The bytes that were asked for.", "headers": headers, "content": content}
        return answers

    def _errors(self, method: str) -> dict[str, Any]:
        errors: list[type[PlaydockError]] = list(self.contract.errors)
        if method not in _SAFE:
            errors.append(ForeignOrigin)
        by_status: dict[int, list[type[PlaydockError]]] = defaultdict(list)
        for error in errors:
            by_status[error.status].append(error)
        path = next(iter(self.route.paths))
        described = {str(status): _problem(found, method, path) for status, found in sorted(by_status.items())}
        if self.contract.body is not None:
            described["413"] = _plain_problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, method, path)
        return {**described, "default": _plain_problem(HTTPStatus.INTERNAL_SERVER_ERROR, method, path)}


def _problem(errors: Sequence[type[PlaydockError]], method: str, path: str) -> dict[str, Any]:
    """Describe the errors of one status: which codes there are, and what each means."""
    listed = "; ".join(f"`{error.code()}`: {_meaning(error)}" for error in errors)
    described: dict[str, Any] = {"description": listed}
    if issubclass(errors[0], Unauthenticated):
        described["headers"] = {"WWW-Authenticate": {"description": "Always Bearer.", **_TEXT}}
    if issubclass(errors[0], TooManyFailures | TooMuchAtOnce):
        described["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
    if method != "HEAD":
        error = errors[0]
        described["content"] = _told(
            path, code=error.code(), title=error.title(), status=error.status, detail=_meaning(error)
        )
    return described


def _plain_problem(status: HTTPStatus, method: str, path: str) -> dict[str, Any]:
    """Describe what no service is asked for; the one with status 500 stands for all that is not named."""
    plain = PLAIN[status]
    about = f"`{plain.code}`: {plain.detail}"
    if status is HTTPStatus.INTERNAL_SERVER_ERROR:
        about = f"Whatever else goes wrong, such as {about}"
    described: dict[str, Any] = {"description": about}
    if method != "HEAD":
        described["content"] = _told(path, code=plain.code, title=plain.title, status=status, detail=plain.detail)
    return described


def _told(path: str, *, code: str, title: str, status: int, detail: str) -> dict[str, Any]:
    """Describe the body of an error, in the form of its address."""
    if oauth.speaks_oauth(path):
        example = {"error": code, "error_description": detail}
        return {oauth.MEDIA_TYPE: {"schema": _schema(oauth.OAuthErrorAnswer), "example": example}}
    example = _problem_example(code=code, title=title, status=status, detail=detail)
    return {PROBLEM_TYPE: {"schema": _schema(Problem), "example": example}}


def _problem_example(*, code: str, title: str, status: int, detail: str) -> dict[str, Any]:
    example = {**EXAMPLES["Problem"], "type": code, "title": title, "status": int(status), "detail": detail}
    example |= {"statusCode": int(status), "statusMessage": title, "message": detail}
    if code != "invalid-input":
        del example["errors"]
    return example


def _meaning(error: type[PlaydockError]) -> str:
    return (error.__doc__ or "").strip().splitlines()[0]


def _taken(kind: Taken) -> dict[str, Any]:
    if issubclass(kind, Form):
        return {"multipart/form-data": {"schema": _schema(kind)}}
    if issubclass(kind, UrlForm):
        return {URL_FORM_TYPE: {"schema": _schema(kind)}}
    return {"application/json": {"schema": _schema(kind), "example": _example(kind)}}


def _answer(contract: Contract) -> Any:
    """Give the type of what is answered, without the response around it."""
    if get_origin(contract.answer) is Response:
        return get_args(contract.answer)[0]
    return contract.answer


def _schema(kind: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=_REF)
    return schema


def _example(kind: Any) -> Any:
    """Make an example of what is composed from named schemas."""
    if get_origin(kind) is list:
        return [_example(get_args(kind)[0])]
    if get_origin(kind) is dict:
        return {"user:read": "Read your own account."}
    if kind is str:
        return "1.4"
    named = next(option for option in (*get_args(kind), kind) if hasattr(option, "__struct_fields__"))
    return EXAMPLES[named.__name__]


def _components(routes: Sequence[HTTPRouteHandler]) -> dict[str, Any]:
    kinds: list[Any] = [Problem, oauth.OAuthErrorAnswer]
    for route in routes:
        contract = contract_of(route)
        taken = (contract.body, contract.query, _answer(contract))
        kinds += [kind for kind in taken if kind not in (None, bytes, type(None))]
    _, components = msgspec.json.schema_components(kinds, ref_template=_REF)
    for name in {query.__name__ for route in routes if (query := contract_of(route).query)}:
        del components[name]  # a query is described as its parameters; what these refer to stays
    for name, schema in components.items():
        if name in EXAMPLES:
            schema["examples"] = [EXAMPLES[name]]
    return dict(sorted(components.items()))


def _present(schema: dict[str, Any]) -> dict[str, Any]:
    """Describe a parameter as it is when it is there: an absent one is not null."""
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    return options[0] if options else schema
