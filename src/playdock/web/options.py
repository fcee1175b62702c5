"""OPTIONS: which methods an address takes. The framework's own answer names only the first route of each address."""

from collections import defaultdict
from collections.abc import Sequence

from litestar import HttpMethod, Response, route
from litestar.handlers import HTTPRouteHandler


def options_of(routes: Sequence[HTTPRouteHandler]) -> list[HTTPRouteHandler]:
    """Make one route for each address, to be registered before the routes themselves."""
    methods: dict[str, set[str]] = defaultdict(set)
    for handler in routes:
        for path in handler.paths:
            methods[path].update(handler.http_methods)
    return [_options(path, sorted(known | {"OPTIONS"})) for path, known in methods.items()]


def _options(path: str, methods: Sequence[str]) -> HTTPRouteHandler:
    @route(path, http_method=HttpMethod.OPTIONS, status_code=204)
    async def name_methods() -> Response[None]:
        return Response(None, status_code=204, headers={"Allow": ", ".join(methods)})

    return name_methods
