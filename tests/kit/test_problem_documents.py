"""Error responses: all of them are problem documents."""

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from world import World

MEMBERS = {"type", "title", "status", "detail", "requestId", "statusCode", "statusMessage", "message"}
SIGN_UP, SIGN_IN, USER = "/api/v1/auth/signup/simple", "/api/v1/auth/signin/simple", "/api/v1/user"


def assert_problem(answer: httpx2.Response, status: int) -> dict[str, Any]:
    """Assert that a response is a complete problem document with this status."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text
    document: dict[str, Any] = answer.json()
    assert set(document) - {"errors", "moreErrors", "parameters", "taskId"} == MEMBERS
    assert document["status"] == document["statusCode"] == status
    assert document["title"] == document["statusMessage"] != ""
    assert document["detail"] == document["message"]
    assert document["detail"].endswith(".")
    assert uuid.UUID(document["requestId"])
    return document


def send(world: World, path: str, content: bytes) -> httpx2.Response:
    any_user = world.any_user()
    return any_user.request("POST", path, content=content, headers={"Content-Type": "application/json"})


def test_every_kind_of_error_returns_a_complete_problem_document(world: World) -> None:
    admin, any_user = world.admin(), world.any_user()

    assert_problem(any_user.post(SIGN_UP, {}), 400)
    assert_problem(any_user.get("/api/v1/admin/users"), 401)
    assert_problem(world.person("bob").get("/api/v1/admin/users"), 403)
    assert_problem(admin.get("/api/v1/admin/users/x"), 404)
    assert_problem(admin.delete(f"/api/v1/admin/users/{admin.user['id']}"), 409)
    assert_problem(any_user.request("PUT", USER), 405)
    assert_problem(any_user.get("/api/v1/nothing/here"), 404)
    assert_problem(any_user.get("/api/nothing"), 404)


def test_every_problem_has_a_unique_request_id(world: World) -> None:
    documents = [assert_problem(world.sign_in("nobody"), 401) for _ in range(3)]

    assert len({document["requestId"] for document in documents}) == 3


BODIES: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b"{",
    "no UTF-8": b'{"username": "\xff\xfe"}',
    "UTF-16": '{"username": "ada"}'.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf{}",
    "null": b"null",
    "a list": b"[]",
    "a number": b"1e999",
    "deep": b"[" * 30_000,
    "just as deep as Python": b'{"a":' * 980 + b"1" + b"}" * 980,
    "wrong types": b'{"username": 1, "password": [], "email": {}, "invitation": null}',
    "a lone surrogate": b'{"username": "\\ud800", "password": "\\udfff\\udfff"}',
    "U+0000": b'{"username": "ada", "password": "aaaaaaaaaaaaaaaaa\\u0000", "invitation": "\\u0000", "email": "a@b.c"}',
    "a large number": b'{"username": ' + b"9" * 5000 + b"}",
    "unknown fields": b'{"username": "ada", "password": "aaaaaaaaaaaaaa", "admin": true, "__proto__": {}}',
}


def test_an_invalid_body_returns_a_problem(world: World) -> None:
    for path in (SIGN_UP, SIGN_IN, "/api/v1/auth/reset/simple"):
        for body in BODIES.values():
            assert assert_problem(send(world, path, body), 400)["errors"]


def test_a_body_without_a_content_type_is_read_as_json(world: World) -> None:
    world.person("ada")
    body = b'{"username": "ada", "password": "correct horse battery"}'

    assert world.any_user().request("POST", SIGN_IN, content=body).status_code == 200


def pieces() -> Iterator[bytes]:
    """A body of unknown length that is larger than any limit."""
    for _ in range(100):
        yield b'"' + b"x" * 65_534 + b'"'


@pytest.mark.parametrize("content", [lambda: b" " * 65_537, lambda: b" " * 13_000_000, pieces])
def test_a_body_above_the_limit_is_rejected(world: World, content: Callable[[], Any]) -> None:
    for path in (SIGN_UP, SIGN_IN):
        refused = world.any_user().request("POST", path, content=content())
        assert_problem(refused, 413)


def test_a_body_that_may_contain_an_image_has_a_higher_limit(world: World) -> None:
    ada = world.person("ada")

    assert_problem(ada.request("PATCH", USER, content=b'{"picture": "' + b"A" * 1_000_000 + b'"}'), 400)
    assert_problem(ada.request("PATCH", USER, content=b" " * 17_000_000), 413)


def test_many_errors_are_counted_and_not_listed(world: World) -> None:
    ada, fields = world.person("ada"), {f"unknown{number}": number for number in range(90_000)}

    refused = ada.patch(USER, fields)
    document = assert_problem(refused, 400)

    assert (len(document["errors"]), document["moreErrors"], len(refused.content) < 5000) == (20, 980, True)
    assert assert_problem(ada.patch(USER, dict.fromkeys(map(str, range(110_000)))), 400)["errors"][0]["field"] == ""


def test_a_query_with_too_many_parameters_is_refused(world: World) -> None:
    found = world.any_user().get(f"{SIGN_UP}?{'a&' * 100}id=x")
    assert assert_problem(found, 400)["errors"][0]["code"] == "too-many-parameters"
    assert_problem(world.any_user().get(f"{SIGN_UP}?{'a&' * 99}id=x"), 404)


def test_permissions_are_checked_before_bodies(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    program = world.token_of(bob, "user:store:read")
    system, own = f"/api/v1/admin/users/{admin.user['id']}", "/api/v1/user"

    for content in (b"{", b" " * 13_000_000):
        assert_problem(world.any_user().request("PATCH", system, content=content), 401)
        assert_problem(bob.request("PATCH", system, content=content), 403)
        assert_problem(world.any_user().request("PATCH", own, content=content), 401)
        assert_problem(program.request("PATCH", own, content=content), 403)
        assert_problem(program.request("POST", "/api/v1/user/token", content=content), 403)
    assert_problem(bob.request("PATCH", own, content=b"{"), 400)


def test_no_path_below_api_returns_html(world: World) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}

    for path in ("/api/", "/api/v1", "/api/v1/admin/users", "/api/v1/nothing", SIGN_UP, "/api/v1/%ff", "/api/v1//user"):
        for method in ("GET", "POST", "PUT", "DELETE"):
            answer = world.any_user().request(method, path, headers=browser)
            assert "html" not in answer.headers.get("content-type", "")
            assert answer.status_code < 500


def test_an_invalid_query_returns_a_problem(world: World) -> None:
    for query in ("", "?", "?id=%00", "?ID=x"):
        assert_problem(world.any_user().get(f"{SIGN_UP}{query}"), 400)
    for query in ("?id", "?id=%ff", "?id=x&id=y", "?id=" + "x" * 8_000, "?id=%25&%25=1"):
        assert_problem(world.any_user().get(f"{SIGN_UP}{query}"), 404)


def test_malformed_headers_are_not_server_errors(world: World) -> None:
    strange = [
        {"Authorization": "Bearer \xff\xfe".encode("latin-1")},
        {"Authorization": b"Bearer " + b"x" * 8_000},
        {"Cookie": b"playdock_session=\xff; a; =b;;"},
        {"User-Agent": b"\xff"},
    ]

    for headers in strange:
        assert world.any_user().get(USER, headers=headers).text == "null"
        assert_problem(world.any_user().post(SIGN_IN, {"username": "x", "password": "x"}, headers=headers), 401)
