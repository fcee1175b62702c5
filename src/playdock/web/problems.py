"""Error responses: problem documents (RFC 9457), with additional members that Drop's clients read.

OAuth endpoints use OAuth's error format instead.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException
from msgspec import Meta, Struct, structs

from playdock.auth.signed_headers import is_drop_path
from playdock.db.errors import DatabaseBusy
from playdock.db.failures import reason_of, unavailability
from playdock.kit import security_log
from playdock.kit.bodies import ResponseBody
from playdock.kit.errors import Forbidden, PlaydockError, TooManyFailures
from playdock.kit.fields import Id
from playdock.kit.messages import encoded, parameters_of
from playdock.kit.security_log import SecurityEvent
from playdock.kit.storage_failures import StorageUnusable, retryable_storage_failure
from playdock.server.request_reading import ClientDisconnected
from playdock.web import oauth

_log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"

AnyRequest = Request[Any, Any, Any]


class HttpProblem(Struct, frozen=True):
    """An error that the framework detects before a handler runs, or an unexpected one."""

    code: str
    detail: str

    @property
    def title(self) -> str:
        return self.code.replace("-", " ").capitalize()


HTTP_PROBLEMS = {
    HTTPStatus.BAD_REQUEST: HttpProblem("bad-request", "The request is malformed. See the API documentation."),
    HTTPStatus.NOT_FOUND: HttpProblem("not-found", "There is no resource at this URL. Check the path."),
    HTTPStatus.METHOD_NOT_ALLOWED: HttpProblem("method-not-allowed", "This URL does not support this method."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: HttpProblem("too-large", "The body is too large for this request."),
    HTTPStatus.INTERNAL_SERVER_ERROR: HttpProblem(
        "internal-error",
        "An unexpected error occurred. Administrators can find the details in the server's log under this request id.",
    ),
}
_SEE_LOG = " Administrators can find the reason in the server's log under this request id."


# Requests without a credential are not recorded: this is how a page finds out that nobody is signed in.
_SECURITY_EVENTS = {Forbidden: SecurityEvent.REFUSED, TooManyFailures: SecurityEvent.LOCKED_OUT}


class FieldErrorResponse(ResponseBody):
    """An invalid field: its dotted path, empty for the whole body, and what is wrong with it.

    `code` and `parameters` are those of the sentence in `detail`, for translation.
    """

    field: Annotated[str, Meta(examples=["password"])]
    detail: Annotated[str, Meta(examples=["A password has at least 14 characters and at most 1,024 bytes."])]
    code: Annotated[str, Meta(examples=["rule-password"])]
    parameters: Annotated[dict[str, Any], Meta(examples=[{}])]


class Problem(ResponseBody, omit_defaults=True):
    """A problem document: ``type`` is for programs, ``detail`` for people.

    `parameters` contains what the detail is about, such as a reason, for translations of the type: text, numbers, or
    sentences (`text`, `code`, `parameters`).
    """

    type: Annotated[str, Meta(examples=["invalid-input"])]
    title: Annotated[str, Meta(examples=["Invalid input"])]
    status: Annotated[int, Meta(examples=[400])]
    detail: Annotated[str, Meta(examples=["The request is invalid. password: A password has at least 14 characters."])]
    request_id: Id
    status_code: Annotated[int, Meta(examples=[400])]
    status_message: Annotated[str, Meta(examples=["Invalid input"])]
    message: Annotated[str, Meta(examples=["The request is invalid. password: A password has at least 14 characters."])]
    errors: list[FieldErrorResponse] | None = None
    more_errors: Annotated[
        int,
        Meta(description="How many more errors there are than are listed; at most 1,000 are counted.", examples=[7]),
    ] = 0
    parameters: dict[str, Any] | None = None
    task_id: str | None = None


def problem(
    *, code: str, title: str, status: int, detail: str, errors: list[FieldErrorResponse] | None = None,
    more_errors: int = 0, parameters: dict[str, Any] | None = None, task_id: str | None = None, request_id: str = "",
) -> Problem:  # fmt: skip
    return Problem(
        type=code,
        title=title,
        status=status,
        detail=detail,
        request_id=request_id or security_log.request_id(),
        status_code=status,
        status_message=title,
        message=detail,
        errors=errors,
        more_errors=more_errors,
        parameters=parameters,
        task_id=task_id,
    )


def respond_to_error(request: AnyRequest, error: PlaydockError) -> Response[bytes]:
    """Return the response to an error of the service. Refused requests are security events."""
    for family, event in _SECURITY_EVENTS.items():
        if isinstance(error, family):
            security_log.record(event, reason=error.code(), method=request.method, path=request.scope["path"])
    document = _problem_of(error)
    if isinstance(error, DatabaseBusy):
        _log.error(error.code(), request=document.request_id, path=request.url.path, reason=reason_of(error))
    return _response(request, document, headers=error.headers())


def _problem_of(error: PlaydockError, *, request_id: str = "") -> Problem:
    field_errors = [
        FieldErrorResponse(
            field=each.field,
            detail=str(each.detail),
            code=each.detail.code,
            parameters=parameters_of(each.detail),
        )
        for each in error.field_errors
    ]
    return problem(
        code=error.code(),
        title=error.title(),
        status=error.status,
        detail=str(error.detail),
        errors=field_errors or None,
        more_errors=error.more_errors,
        parameters=None if field_errors else encoded(error.parameters) or None,
        task_id=error.extras().get("taskId"),
        request_id=request_id,
    )


def respond_to_http_error(request: AnyRequest, error: HTTPException) -> Response[bytes]:
    """Return the response to an error that the framework raised before a handler ran."""
    if error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return respond_to_unexpected(request, error)
    return _response(request, http_problem(HTTPStatus(error.status_code)), headers=error.headers or {})


def respond_to_disconnect(request: AnyRequest, _error: ClientDisconnected) -> Response[bytes]:
    """Return a response that nobody receives. The server has logged the disconnect."""
    return _response(request, http_problem(HTTPStatus.BAD_REQUEST))


def respond_to_unexpected(request: AnyRequest, error: Exception) -> Response[bytes]:
    """Return the response to an unexpected error or a failing database or disk. Only the log contains the details."""
    request_id = security_log.request_id()
    if unavailable := unavailability(error):
        _log.error(unavailable.code(), request=request_id, path=request.url.path, reason=reason_of(error))
        unavailable.detail += _SEE_LOG
        return _response(request, _problem_of(unavailable, request_id=request_id), headers=unavailable.headers())
    if message := retryable_storage_failure(error):
        _log.error("storage unusable", request=request_id, path=request.url.path, reason=str(error))
        return _response(request, _problem_of(StorageUnusable(message), request_id=request_id))
    _log.error("request failed", request=request_id, path=request.url.path, exc_info=error)
    return _response(request, http_problem(HTTPStatus.INTERNAL_SERVER_ERROR, request_id=request_id))


def http_problem(status: HTTPStatus, *, request_id: str = "") -> Problem:
    """Return the problem document of an error that the framework detects."""
    entry = HTTP_PROBLEMS.get(status, HTTP_PROBLEMS[HTTPStatus.BAD_REQUEST])
    return problem(code=entry.code, title=entry.title, status=status, detail=entry.detail, request_id=request_id)


def _response(request: AnyRequest, document: Problem, *, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    if is_drop_path(request.scope["path"]):
        document = _for_drop(document)
    content, media_type = msgspec.json.encode(document), MEDIA_TYPE
    all_headers = {"Cache-Control": "no-store", **(headers or {})}
    if oauth.is_oauth_path(request.scope["path"]):
        content = msgspec.json.encode(oauth.OAuthErrorResponse(error=document.type, error_description=document.detail))
        media_type = oauth.MEDIA_TYPE
    return Response(content, status_code=document.status, media_type=media_type, headers=all_headers)


def _for_drop(document: Problem) -> Problem:
    """Return a problem as Drop's clients expect it: the sentence also as ``statusMessage``, and 403 instead of 401."""
    status = HTTPStatus.FORBIDDEN.value if document.status == HTTPStatus.UNAUTHORIZED else document.status
    return structs.replace(document, status=status, status_code=status, status_message=document.message)
