"""What the server answers, and what becomes of it."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from loopback import Loopback, answer
from playdock_client.connection import Server
from playdock_client.errors import (
    BadResponse,
    ClientError,
    NotSignedIn,
    RequestRefused,
    ServerUnavailable,
    SignInPending,
    SignInRefused,
    SlowDown,
    UnencryptedConnection,
)
from playdock_client.transport import normalized


@contextmanager
def _answering(status: int, body: bytes, **headers: str) -> Iterator[tuple[Server, list[tuple[str, str, str]]]]:
    """A server that gives one answer to everything and remembers what it was asked."""
    seen: list[tuple[str, str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            seen.append((self.command, self.path, self.rfile.read(length).decode()))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_DELETE = do_GET  # noqa: N815 - the library's names

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=[0.02])
    thread.start()
    try:
        with Server(f"http://127.0.0.1:{http.server_address[1]}", "token", retry_seconds=0.2) as server:
            yield server, seen
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (401, b"{}", NotSignedIn),
        (403, b'{"type": "forbidden", "detail": "You may not."}', RequestRefused),
        (404, b"<html>", RequestRefused),
        (500, b"", RequestRefused),
        (301, b"", BadResponse),
        (200, b"<html>", BadResponse),
        (200, b'{"id": 7}', BadResponse),
        (200, b"\xff", BadResponse),
        (200, b'"' + b"x" * 17_000_000, BadResponse),
        (503, b"{}", ServerUnavailable),
    ],
)
def test_every_error_response_raises_its_exception(status: int, body: bytes, error: type[ClientError]) -> None:
    with _answering(status, body) as (server, _), pytest.raises(error):
        server.game("g")


def test_an_exception_contains_the_message_of_the_server() -> None:
    problem = b'{"type": "forbidden", "detail": "You may not."}'
    with _answering(403, problem) as (server, _), pytest.raises(RequestRefused, match="You may not") as refused:
        server.game("g")
    assert (refused.value.status, refused.value.type) == (403, "forbidden")


def test_there_is_no_user_without_a_sign_in() -> None:
    with _answering(200, b"null") as (server, _):
        assert server.user() is None


def test_ids_cannot_change_the_path() -> None:
    with _answering(404, b"{}") as (server, seen):
        for name in ("../user", "a?b", "a#b", "a/b"):
            with pytest.raises(RequestRefused):
                server.game(name)
        with pytest.raises(BadResponse):
            server.game("..")
    assert [path for _, path, _ in seen] == [
        f"/api/v1/games/{each}" for each in ("..%2Fuser", "a%3Fb", "a%23b", "a%2Fb")
    ]


def test_unknown_fields_are_ignored() -> None:
    page = {
        "id": "g",
        "name": "Doom",
        "versions": [{"id": "v", "name": "1", "platform": "Amiga", "new": 1}],
        "more": {},
    }
    with _answering(200, json.dumps(page).encode()) as (server, _):
        assert server.game("g").versions[0].platform == "Amiga"


def test_a_sign_in_request_contains_the_device_name() -> None:
    answer = {"device_code": "d", "user_code": "W-M", "verification_uri": "https://a/device", "expires_in": 900}
    with _answering(200, json.dumps(answer).encode()) as (server, seen):
        begun = server.begin_sign_in("Ada's desk", "Linux")
    assert begun.interval == 5
    assert seen == [
        ("POST", "/oauth/device_authorization", "client_id=playdock-client&device_name=Ada%27s+desk&platform=Linux")
    ]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("authorization_pending", SignInPending),
        ("slow_down", SlowDown),
        ("access_denied", SignInRefused),
        ("expired_token", SignInRefused),
        ("invalid_grant", SignInRefused),
        ("invalid_request", RequestRefused),
    ],
)
def test_polling_errors_raise_their_exceptions(code: str, error: type[ClientError]) -> None:
    with _answering(400, json.dumps({"error": code}).encode()) as (server, _), pytest.raises(error):
        server.poll_token("d")


def test_polling_returns_the_token() -> None:
    with _answering(200, b'{"access_token": "pdc_1", "token_type": "Bearer"}') as (server, _):
        assert server.poll_token("d") == "pdc_1"


def test_only_this_device_is_signed_out() -> None:
    with _answering(200, b'[{"id": "a"}, {"id": "b", "current": true}]') as (server, seen):
        server.sign_out()
    assert [call[:2] for call in seen] == [("GET", "/api/v1/user/client"), ("DELETE", "/api/v1/user/client/b")]


@pytest.mark.parametrize(
    ("written", "regular"),
    [
        ("games.example.org", "https://games.example.org"),
        ("http://Games.example.org:3000/", "http://games.example.org:3000"),
        ("https://[::1]:3000", "https://[::1]:3000"),
        ("örk.example.org", "https://xn--rk-eka.example.org"),
        ("Example.org/Games/", "https://example.org/Games"),
        ("http://[::1]:3000/a/b.c-d_e~f", "http://[::1]:3000/a/b.c-d_e~f"),
    ],
)
def test_addresses_are_normalized(written: str, regular: str) -> None:
    assert normalized(written) == regular


@pytest.mark.parametrize("status", [400, 404, 500])
def test_an_error_without_a_problem_document_is_reported_as_not_from_playdock(status: int) -> None:
    with (
        _answering(status, b"<html>") as (server, _),
        pytest.raises(RequestRefused, match=f"status {status}, but not like a Playdock server"),
    ):
        server.begin_sign_in("desk", "Linux")


def test_a_proxy_without_a_server_behind_it_is_reported_as_an_outage() -> None:
    with (
        _answering(502, b"<html>") as (server, _),
        pytest.raises(ClientError, match=r"is not available now.*status 502.*Try again later"),
    ):
        server.begin_sign_in("desk", "Linux")


@pytest.mark.parametrize("status", [200, 202, 400, 404, 500])
def test_a_deeply_nested_response_is_an_error(status: int) -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    with _answering(status, b'{"type": ' + deep + b', "username": ' + deep + b"}") as (server, _):
        calls: list[Callable[[], object]] = [
            server.user,
            lambda: server.search("doom"),
            lambda: server.begin_sign_in("desk", "Linux"),
            lambda: server.poll_token("code"),
            lambda: server.manifest("v1"),
        ]
        for call in calls:
            with pytest.raises(ClientError):
                call()
        with suppress(ClientError):
            server.patches("v1", base="v0")


@pytest.mark.parametrize("address", ["http://games.example.org", "http://[fd00::5]:3000", "HTTP://desk"])
def test_an_unencrypted_connection_to_another_machine_is_refused(address: str) -> None:
    with pytest.raises(UnencryptedConnection, match=re.escape(f"playdock-client login --allow-http {address.lower()}")):
        Server(address, "token")
    Server(address, "token", allow_http=True).close()
    Server(address.lower().replace("http:", "https:"), "token").close()


def test_a_server_that_does_not_speak_http_is_reported() -> None:
    with Loopback() as loopback:
        loopback.on("/api/v1/user", b"SSH-2.0-OpenSSH_9.6\r\n")
        with (
            Server(loopback.address, retry_seconds=0.1) as server,
            pytest.raises(ServerUnavailable, match="is not a web server"),
        ):
            server.user()


def test_https_to_an_http_port_is_reported_with_the_http_address() -> None:
    with _answering(200, b"null") as (plain, _):
        secure = plain.address.replace("http:", "https:")
        with (
            Server(secure) as server,
            pytest.raises(ServerUnavailable, match=f"does not support https.* use {plain.address}"),
        ):
            server.user()


def test_a_server_that_never_responded_is_not_retried_for_long() -> None:
    with (
        _answering(503, b"{}", **{"Retry-After": "6"}) as (away, seen),
        Server(away.address, retry_seconds=60) as server,
    ):
        with pytest.raises(ServerUnavailable):
            server.user()
        assert len(seen) == 1


def test_a_server_that_responded_before_is_retried() -> None:
    with Loopback() as loopback, Server(loopback.address, retry_seconds=60) as server:
        loopback.on("/api/v1/user", answer(b"null"))
        # Waiting for 5 seconds and no more would end with the first of them.
        loopback.on("/api/v1/user/limits", answer(status=503, retry_after="6"), answer(b"{}"))
        server.user()
        assert server.limits().running == 0


def test_the_platforms_of_a_game_are_those_of_its_versions() -> None:
    versions = [{"id": each, "name": each, "platform": each} for each in ("Windows", "Linux", "Linux")]
    page = {"id": "g", "name": "Doom", "versions": versions}
    with _answering(200, json.dumps(page).encode()) as (server, _):
        assert server.game("g").platforms == ("Linux", "Windows")
