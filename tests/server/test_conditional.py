"""Responses with an ETag, or 304 without a body."""

from dataclasses import dataclass
from typing import Any

import pytest
from litestar import Litestar, Response
from litestar.testing import TestClient

from playdock.server.conditional import Headers, unless_unchanged
from playdock.server.injection import ServiceRegistry
from playdock.server.routing import AnyRequest, Caller, get


@dataclass
class NoServices:
    """An empty set of services."""


def _read(request: AnyRequest) -> Response[Any]:
    def respond(headers: Headers) -> Response[str]:
        assert request.headers.get("if-none-match") != '"abc"'
        return Response("text", headers=headers, media_type="text/markdown")

    headers = {"Cache-Control": "private, no-cache"}
    return unless_unchanged(request, "abc", headers=headers, respond=respond)


def _ask(**headers: str) -> Any:
    handler = get("/", requires=Caller.ANYBODY)(_read).bind(ServiceRegistry(NoServices()))
    with TestClient(Litestar([handler], openapi_config=None, logging_config=None)) as client:
        return client.get("/", headers=headers)


@pytest.mark.parametrize("headers", [{}, {"If-None-Match": '"other"'}])
def test_a_caller_with_another_etag_gets_the_body(headers: dict[str, str]) -> None:
    answer = _ask(**headers)

    assert (answer.status_code, answer.text, answer.headers["etag"]) == (200, "text", '"abc"')
    assert answer.headers["cache-control"] == "private, no-cache"


def test_a_caller_with_the_current_etag_gets_headers_without_a_body() -> None:
    answer = _ask(**{"If-None-Match": '"abc"'})

    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", '"abc"')
    assert answer.headers["cache-control"] == "private, no-cache"
