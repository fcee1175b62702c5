"""Responses to OPTIONS with all methods of a path. The framework's own response contains only those of one route."""

from collections import defaultdict
from collections.abc import Sequence

from litestar import HttpMethod, Response, route
from litestar.handlers import HTTPRouteHandler

from playdock.server.routing import Route


def options_of(routes: Sequence[Route]) -> list[HTTPRouteHandler]:
    """Return an OPTIONS route for each path. Register them before the routes themselves."""
    methods: dict[str, set[str]] = defaultdict(set)
    for each in routes:
        methods[each.path].update(each.methods)
    return [_options(path, sorted(allowed | {"OPTIONS"})) for path, allowed in methods.items()]


def _options(path: str, methods: Sequence[str]) -> HTTPRouteHandler:
    @route(path, http_method=HttpMethod.OPTIONS, status_code=204)
    async def allowed_methods() -> Response[None]:
        return Response(None, status_code=204, headers={"Allow": ", ".join(methods)})

    return allowed_methods
