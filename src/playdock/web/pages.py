"""What a browser gets: the description of the interface, and where the links of invitations and resets lead."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from litestar import MediaType, Response, Router, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect
from litestar.static_files import create_static_files_router

from playdock.http.routing import AnyRequest
from playdock.web.openapi import document_as_json

_STATIC = Path(__file__).parent / "static"
_REFERENCE = "/docs/api"
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


PAGES: Sequence[HTTPRouteHandler | Router] = (
    send_document,
    show_reference,
    show_home,
    show_registration,
    show_reset,
    create_static_files_router(f"{_REFERENCE}/viewer", [_viewer()]),
    create_static_files_router(f"{_REFERENCE}", [_STATIC]),
)
