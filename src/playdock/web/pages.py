"""What a browser gets: the web application, the interface's description, and pages that OpenID leads to."""

from collections.abc import Sequence
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path

import msgspec
from litestar import MediaType, Response, Router, get
from litestar.handlers import HTTPRouteHandler
from litestar.static_files import create_static_files_router

from playdock.features.openid.routes import PAGES as OPENID
from playdock.http.pages import Link, page
from playdock.http.routing import AnyRequest
from playdock.kit.errors import PlaydockError
from playdock.settings import Settings
from playdock.web.application import show
from playdock.web.openapi import document_as_json
from playdock.web.problems import Problem, answer_known, answer_unknown

# The pages; what they load lies in folders beside them, so that no page is served without the headers it needs.
_STATIC = Path(__file__).parent / "static"
_REFERENCE = "/docs/api"
# The viewer writes styles of its own into the page, and calls the interface as whoever is signed in.
_REFERENCE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


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
    content = (_STATIC / "reference.html").read_bytes()
    return Response(content, media_type=MediaType.HTML, headers=_REFERENCE_HEADERS)


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
    show,
    Router("/", route_handlers=OPENID, exception_handlers={PlaydockError: _show_known, Exception: _show_unknown}),
    create_static_files_router(f"{_REFERENCE}/viewer", [_viewer()]),
    create_static_files_router(_REFERENCE, [_STATIC / "reference"]),
)
