"""What a browser gets: the interface's description, where invitations and resets lead, where a device is let in."""

from collections.abc import Sequence
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path

import msgspec
from litestar import MediaType, Response, Router, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect
from litestar.static_files import create_static_files_router

from playdock.features.devices.service import PAGE as DEVICE
from playdock.features.openid.routes import PAGES as OPENID
from playdock.http.pages import Link, page
from playdock.http.routing import AnyRequest
from playdock.kit.errors import PlaydockError
from playdock.settings import Settings
from playdock.web.openapi import document_as_json
from playdock.web.problems import Problem, answer_known, answer_unknown

# The pages; what they load lies in folders beside them, so that no page is served without the headers it needs.
_STATIC = Path(__file__).parent / "static"
_REFERENCE = "/docs/api"
_OF_DEVICE = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_RESET = (
    "This link sets a new password, once. There is no page for that yet; make this call:\n"
    "\n"
    "    POST /api/v1/auth/reset/simple\n"
    "    Content-Type: application/json\n"
    "\n"
    '    {"id": "what follows ?id= in the link", "password": "the new password"}\n'
)


def _viewer() -> Path:
    """Give the folder of the bundled viewer, without loading the package around it."""
    spec = find_spec("swagger_ui")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "static"


@get("/api/openapi.json")
async def send_document() -> Response[bytes]:
    return Response(document_as_json().encode(), media_type="application/json")


@get(_REFERENCE)
async def show_reference() -> Response[bytes]:
    return Response((_STATIC / "reference.html").read_bytes(), media_type=MediaType.HTML)


@get("/")
async def show_home() -> Redirect:
    return Redirect(_REFERENCE)


@get("/auth/register")
async def show_registration(request: AnyRequest) -> Redirect:
    """Lead on to the invitation itself, until there is a page to sign up with."""
    return Redirect(f"/api/v1/auth/signup/simple?{request.url.query}")


@get("/auth/reset", media_type=MediaType.TEXT)
async def show_reset() -> str:
    """Tell what to do with a reset link, until there is a page to set a new password with."""
    return _RESET


@get(DEVICE)
async def show_device() -> Response[bytes]:
    content = (_STATIC / "device.html").read_bytes()
    return Response(content, media_type=MediaType.HTML, headers=_OF_DEVICE)


def _as_page(request: AnyRequest, answer: Response[bytes]) -> Response[str]:
    """Tell a person at a browser what a program would read in a problem document."""
    problem = msgspec.json.decode(answer.content, type=Problem)
    settings: Settings = request.app.state.services.settings
    sentences = [problem.detail]
    if problem.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        sentences.append(f"Request id: {problem.request_id}")
    if settings.simple:
        sentences.append("Whoever has a password can also sign in with user name and password.")
    links = [Link("/auth/oidc", "Try again")] if settings.openid else []
    links.append(Link("/", "To the first page"))
    return page("This did not work", sentences, links, status=problem.status, headers=answer.headers)


def _show_known(request: AnyRequest, error: PlaydockError) -> Response[str]:
    return _as_page(request, answer_known(request, error))


def _show_unknown(request: AnyRequest, error: Exception) -> Response[str]:
    return _as_page(request, answer_unknown(request, error))


PAGES: Sequence[HTTPRouteHandler | Router] = (
    send_document,
    show_reference,
    show_home,
    show_registration,
    show_reset,
    show_device,
    Router("/", route_handlers=OPENID, exception_handlers={PlaydockError: _show_known, Exception: _show_unknown}),
    create_static_files_router(f"{DEVICE}/static", [_STATIC / "device"]),
    create_static_files_router(f"{_REFERENCE}/viewer", [_viewer()]),
    create_static_files_router(_REFERENCE, [_STATIC / "reference"]),
)
