"""Dependency injection: the type of a parameter selects the service, once, when the application is built.

Litestar's own dependencies are selected by name and validated on every request, and a misspelled name becomes a query
parameter. Here the application does not start if no service has the type, or if several have it.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_type_hints


class UnresolvedDependency(TypeError):
    """A handler has a parameter whose type does not select exactly one service."""

    def __init__(self, call: Callable[..., Any], parameter: str, reason: str) -> None:
        super().__init__(f"{call.__module__}.{call.__qualname__}: parameter {parameter!r} {reason}.")


class ServiceRegistry:
    """The fields of a dataclass by their annotated type.

    If several services have the same class, each is annotated with its own `typing.NewType`.
    """

    def __init__(self, services: Any) -> None:
        types = get_type_hints(type(services))
        self._by_type: dict[Any, dict[str, Any]] = defaultdict(dict)
        for field in fields(services):
            self._by_type[types[field.name]][field.name] = getattr(services, field.name)

    def find(self, service_type: Any, *, call: Callable[..., Any], parameter: str) -> Any:
        """Return the service of a type, for a parameter of a handler.

        Raises:
            UnresolvedDependency: no service has this type, or several have it.
        """
        matches = self._by_type.get(service_type, {})
        name = getattr(service_type, "__name__", str(service_type))
        if not matches:
            raise UnresolvedDependency(call, parameter, f"has the type {name}, which no service has")
        if len(matches) > 1:
            fields = ", ".join(matches)
            reason = f"has the type {name}, which several services have ({fields}); define a NewType for each"
            raise UnresolvedDependency(call, parameter, reason)
        return next(iter(matches.values()))
