"""Errors on the wire: problem documents (RFC 9457) with the members that Drop's clients read (decisions 2).

Where OAuth is spoken they are OAuth's own instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException

from playdock.db.errors import DatabaseUnusable
from playdock.db.faults import is_away, reason_of
from playdock.kit.bodies import Answer
from playdock.kit.errors import PlaydockError
from playdock.kit.faults import StorageUnusable, passing_fault
from playdock.kit.secrets import new_id
from playdock.web import oauth

_log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"

AnyRequest = Request[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Plain:
    """What is told of a request that no service of ours has looked at."""

    code: str
    detail: str

    @property
    def title(self) -> str:
        return self.code.replace("-", " ").capitalize()


PLAIN = {
    HTTPStatus.BAD_REQUEST: Plain(
        "bad-request", "The request cannot be understood. Look at the description of the interface."
    ),
    HTTPStatus.NOT_FOUND: Plain("not-found", "There is nothing at this address."),
    HTTPStatus.METHOD_NOT_ALLOWED: Plain("method-not-allowed", "This address does not take this method."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: Plain("too-large", "The body is larger than this call takes."),
    HTTPStatus.INTERNAL_SERVER_ERROR: Plain(
        "internal-error",
        "Something went wrong that should not have. An admin finds the details in the server's log under this "
        "request id.",
    ),
}
_AWAY = DatabaseUnusable(
    "The database does not answer, or is full. Try again in a moment. An admin finds the reason in the server's log "
    "under this request id; `playdock doctor` tells what to mend."
)


class FaultAnswer(Answer):
    """One field at fault: its dotted path, empty for the whole body, and what is wrong with it."""

    field: str
    detail: str


class Problem(Answer, omit_defaults=True):
    """What went wrong: ``type`` for programs, ``detail`` for people."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str
    status_code: int
    status_message: str
    message: str
    errors: list[FaultAnswer] | None = None
    task_id: str | None = None


def problem(
    *, code: str, title: str, status: int, detail: str, errors: list[FaultAnswer] | None = None,
    task_id: str | None = None, request_id: str = "",
) -> Problem:  # fmt: skip
    return Problem(
        type=code,
        title=title,
        status=status,
        detail=detail,
        request_id=request_id or new_id(),
        status_code=status,
        status_message=title,
        message=detail,
        errors=errors,
        task_id=task_id,
    )


def answer_known(request: AnyRequest, error: PlaydockError) -> Response[bytes]:
    """Answer an error that the service has a sentence for."""
    return _response(request, _known(error), headers=error.headers())


def _known(error: PlaydockError, *, request_id: str = "") -> Problem:
    faults = [FaultAnswer(field=fault.field, detail=fault.detail) for fault in error.faults]
    return problem(
        code=error.code(),
        title=error.title(),
        status=error.status,
        detail=error.detail,
        errors=faults or None,
        task_id=error.extras().get("taskId"),
        request_id=request_id,
    )


def answer_framework(request: AnyRequest, error: HTTPException) -> Response[bytes]:
    """Answer what the framework refused before a handler ran."""
    if error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return answer_unknown(request, error)
    return _response(request, _plain(HTTPStatus(error.status_code)), headers=error.headers or {})


def answer_unknown(request: AnyRequest, error: Exception) -> Response[bytes]:
    """Answer what should not have happened, or a database or disk that fails; the details go to the log only."""
    request_id = new_id()
    if is_away(error):
        _log.error("database away", request=request_id, path=request.url.path, reason=reason_of(error))
        return _response(request, _known(_AWAY, request_id=request_id))
    if fault := passing_fault(error):
        _log.error("storage unusable", request=request_id, path=request.url.path, reason=str(error))
        return _response(request, _known(StorageUnusable(fault), request_id=request_id))
    _log.error("request failed", request=request_id, path=request.url.path, exc_info=error)
    return _response(request, _plain(HTTPStatus.INTERNAL_SERVER_ERROR, request_id=request_id))


def _plain(status: HTTPStatus, *, request_id: str = "") -> Problem:
    plain = PLAIN.get(status, PLAIN[HTTPStatus.BAD_REQUEST])
    return problem(code=plain.code, title=plain.title, status=status, detail=plain.detail, request_id=request_id)


def _response(request: AnyRequest, document: Problem, *, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    content, media_type = msgspec.json.encode(document), MEDIA_TYPE
    told = {"Cache-Control": "no-store", **(headers or {})}
    if oauth.speaks_oauth(request.scope["path"]):
        content = msgspec.json.encode(oauth.OAuthErrorAnswer(error=document.type, error_description=document.detail))
        media_type = oauth.MEDIA_TYPE
    return Response(content, status_code=document.status, media_type=media_type, headers=told)
