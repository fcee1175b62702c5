"""Routes for browsers: the web application, the OpenAPI document, and the pages of OpenID sign-in."""

from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Response, Router, get
from litestar.handlers import HTTPRouteHandler

from playdock.features.openid.routes import PAGES as OPENID
from playdock.kit.errors import PlaydockError
from playdock.server.injection import ServiceRegistry
from playdock.server.pages import Link, page
from playdock.server.routing import AnyRequest
from playdock.settings import Settings
from playdock.web.application import page_route
from playdock.web.openapi import document_as_json
from playdock.web.problems import Problem, respond_to_error, respond_to_unexpected


def _document_route(url_path: str) -> HTTPRouteHandler:
    """Return the route of the OpenAPI document, whose paths begin with ``url_path`` on their host."""

    @get("/api/openapi.json")
    async def send_document() -> Response[bytes]:
        return Response(document_as_json(url_path).encode(), media_type="application/json")

    return send_document


def _as_page(settings: Settings, response: Response[bytes]) -> Response[str]:
    """Return a problem document as an HTML page."""
    problem = msgspec.json.decode(response.content, type=Problem)
    sentences = [problem.detail]
    if problem.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        sentences.append(f"Request id: {problem.request_id}")
    if settings.simple:
        sentences.append("If you have a password, you can also sign in with your user name and password.")
    links = [Link(f"{settings.url_path}/auth/oidc", "Try again")] if settings.openid else []
    links.append(Link(f"{settings.url_path}/", "Go to the start page"))
    return page("Something went wrong", sentences, links, status=problem.status, headers=response.headers)


def _show_error(settings: Settings, request: AnyRequest, error: PlaydockError) -> Response[str]:
    return _as_page(settings, respond_to_error(request, error))


def _show_unexpected(settings: Settings, request: AnyRequest, error: Exception) -> Response[str]:
    return _as_page(settings, respond_to_unexpected(request, error))


def pages(registry: ServiceRegistry, settings: Settings) -> Sequence[HTTPRouteHandler | Router]:
    """Return the routes for browsers."""
    errors: dict[int | type[Exception], Callable[[AnyRequest, Any], Response[Any]]] = {
        PlaydockError: partial(_show_error, settings),
        Exception: partial(_show_unexpected, settings),
    }
    return (
        _document_route(settings.url_path),
        page_route(settings.url_path),
        Router("/", route_handlers=[route.bind(registry) for route in OPENID], exception_handlers=errors),
    )
