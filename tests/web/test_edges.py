"""Responses without a handler: unknown URLs, wrong methods, large bodies, and internal errors."""

import logging
import socket

import httpx2
import msgspec
import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from playdock.web.problems import Problem
from playdock.web.routes import ROUTES
from waiting import wait_until
from world import World

_PAGES = ["/docs/api", "/api/openapi.json"]
_MIB = 1024 * 1024
_LARGE = bytes(64 * _MIB)


def _is_problem(answer: httpx2.Response, status: int, code: str) -> bool:
    problem = msgspec.json.decode(answer.content, type=Problem)
    assert answer.headers["content-type"] == "application/problem+json"
    assert (problem.status, problem.status_code, problem.message) == (status, status, problem.detail)
    return (answer.status_code, problem.type) == (status, code)


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1/nothing", "/api/v2/user", "/api/v1/../v1/nothing"])
def test_an_unknown_url_returns_a_problem_document(site: World, method: str, path: str) -> None:
    assert _is_problem(site.any_user().request(method, path), 404, "not-found")


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "TRACE"])
def test_a_wrong_method_returns_the_allowed_ones(site: World, method: str) -> None:
    refused = site.any_user().request(method, "/api/v1/user")

    assert _is_problem(refused, 405, "method-not-allowed")
    assert set(refused.headers["allow"].split(", ")) == {"GET", "OPTIONS", "PATCH"}


def test_options_returns_all_methods_of_a_path(site: World) -> None:
    no_user = site.any_user()
    for path in {route.path for route in ROUTES}:
        there = {method for route in ROUTES if path == route.path for method in route.methods}
        answer = no_user.request("OPTIONS", path.replace(":str", ""))
        assert (answer.status_code, set(answer.headers["allow"].split(", "))) == (204, there | {"OPTIONS"})


def test_a_body_with_a_content_length_above_the_limit_is_rejected(site: World) -> None:
    refused = site.any_user().request("POST", "/api/v1/auth/signin/simple", content=_LARGE)
    assert _is_problem(refused, 413, "too-large")


def test_a_streamed_body_above_the_limit_is_rejected(site: World) -> None:
    pieces = (bytes(_MIB) for _ in range(64))
    refused = site.any_user().request("POST", "/api/v1/auth/signin/simple", content=pieces)
    assert _is_problem(refused, 413, "too-large")


def test_the_permission_is_checked_before_the_size(site: World) -> None:
    refused = site.any_user().request("PATCH", "/api/v1/user", content=_LARGE)
    assert _is_problem(refused, 401, "sign-in-required")


@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded"])
def test_a_client_that_hangs_up_in_the_middle_of_a_body_writes_one_line(
    site: World, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    path = "/oauth/token" if "form" in kind else "/api/v1/auth/signin/simple"
    host, port = site.address.removeprefix("http://").split(":")
    request = f"POST {path} HTTP/1.1\r\nHost: h\r\nContent-Type: {kind}\r\nContent-Length: 9\r\n\r\nx"

    def is_logged() -> bool:
        """Hang up again until a line is written: there is at most one per second."""
        with socket.create_connection((host, int(port))) as client:
            client.sendall(request.encode())
        return bool(lines)

    with capture_logs() as lines:
        wait_until(is_logged)
        # The next request is answered after everything that the disconnect has caused.
        assert site.any_user().get("/api/v1/user").status_code == 200
    assert {(line["event"], line["address"]) for line in lines} == {("request rejected", "127.0.0.1")}
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"username":"\\ud800"}', b"nonsense"])
def test_invalid_json_is_reported(site: World, body: bytes) -> None:
    refused = site.any_user().request("POST", "/api/v1/auth/signin/simple", content=body[:60_000])
    assert _is_problem(refused, 400, "invalid-input")


@pytest.mark.parametrize("path", _PAGES)
def test_pages_are_public(site: World, path: str) -> None:
    assert site.any_user().get(path, follow_redirects=True).status_code == 200


@pytest.mark.parametrize("path", ["/assets/../../pages.py", "/assets/%2e%2e/%2e%2e/pages.py"])
def test_no_other_files_are_served(site: World, path: str) -> None:
    """Addresses without a page get the application's document, and nothing else."""
    assert "from playdock" not in site.any_user().get(path).text


def test_head_responds_like_get_without_a_body(world: World) -> None:
    admin = world.admin()
    address = f"/api/v1/object/{admin.user['profilePictureObjectId']}"
    whole, head = admin.get(address), admin.request("HEAD", address)

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == whole.headers["etag"]
    assert head.headers["content-length"] == str(len(whole.content))


def test_an_internal_error_is_reported_without_details(world: World) -> None:
    rename = "ALTER TABLE invitations RENAME TO lost"
    with world.services.db.write() as session:
        session.execute(text(rename))

    with capture_logs() as logged:
        failed = world.any_user().get("/api/v1/auth/signup/simple?id=secret")

    assert _is_problem(failed, 500, "internal-error")
    assert not any(word in failed.text for word in ("invitations", "SELECT", "Traceback", "File "))
    told = next(line for line in logged if line.get("request") == failed.json()["requestId"])
    assert "invitations" in str(told["exc_info"])
    assert "secret" not in told["path"]


@pytest.mark.parametrize("path", ["/api/v1/user", "/api/v1/user/session", "/api/v1/task/none", "/api/v1/nothing"])
def test_api_responses_are_not_cached(site: World, path: str) -> None:
    assert site.any_user().get(path).headers["cache-control"] == "no-store"


def test_secrets_are_not_cached_or_sniffed(world: World) -> None:
    admin = world.admin()
    world.invitation()
    headers = admin.get("/api/v1/admin/auth/invitation").headers
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
