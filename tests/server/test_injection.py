"""Services are selected by parameter types when the application is built; otherwise building fails."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NewType

import pytest
from anyio import CapacityLimiter
from litestar import Litestar
from litestar.testing import TestClient

from playdock.server.disk_threads import DiskThreads
from playdock.server.injection import ServiceRegistry, UnresolvedDependency
from playdock.server.routing import Caller, get

SlowThreads = NewType("SlowThreads", CapacityLimiter)


@dataclass(frozen=True)
class Greetings:
    greeting: str


@dataclass(frozen=True)
class Services:
    greetings: Greetings
    quick: CapacityLimiter
    careful: CapacityLimiter
    slow: SlowThreads


SERVICES = Services(Greetings("Hello"), CapacityLimiter(1), CapacityLimiter(2), SlowThreads(CapacityLimiter(3)))


def _bind(call: Callable[..., Any], path: str = "/", **wanted: Any) -> Any:
    return get(path, requires=Caller.ANYBODY, **wanted)(call).bind(ServiceRegistry(SERVICES))


def test_a_parameter_is_resolved_by_its_type_regardless_of_its_name() -> None:
    def greet(name: str, anything: Greetings) -> str:
        return f"{anything.greeting}, {name}"

    with TestClient(Litestar([_bind(greet, "/{name:str}")], openapi_config=None, logging_config=None)) as client:
        assert client.get("/Ada").text == "Hello, Ada"


def test_an_async_handler_gets_its_services_too() -> None:
    async def greet(greetings: Greetings, threads: SlowThreads) -> str:
        return f"{greetings.greeting} {threads.total_tokens}"

    with TestClient(Litestar([_bind(greet)], openapi_config=None, logging_config=None)) as client:
        assert client.get("/").text == "Hello 3"


def test_a_type_without_a_service_is_an_error_that_names_handler_and_parameter() -> None:
    def count(numbers: list[int]) -> None: ...

    with pytest.raises(UnresolvedDependency, match=r"count: parameter 'numbers' has the type list, which no service"):
        _bind(count)


def test_a_type_with_several_services_is_an_error_that_names_them() -> None:
    def wait(threads: CapacityLimiter) -> None: ...

    with pytest.raises(UnresolvedDependency, match=r"'threads' has the type CapacityLimiter.*\(quick, careful\)"):
        _bind(wait)


def test_a_parameter_without_a_type_is_an_error() -> None:
    def show(greetings) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001

    with pytest.raises(UnresolvedDependency, match="'greetings'"):
        _bind(show)


def test_a_route_that_accesses_a_disk_requires_the_disk_threads() -> None:
    def read() -> None: ...

    with pytest.raises(UnresolvedDependency, match=DiskThreads.__name__):
        _bind(read, touches_disk=True)
