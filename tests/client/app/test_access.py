"""Which requests an agent answers."""

import pytest

from playdock_client.app.access import Endpoint, cookie_header, is_local_path, refusal

_ENDPOINT = Endpoint(4000, "secret")
_OWN = {"host": "127.0.0.1:4000", "cookie": "playdock_client_4000=secret"}
_WRITE = {**_OWN, "origin": "http://127.0.0.1:4000", "sec-fetch-site": "same-origin", "playdock-client": "1"}


def _status(method: str, path: str, headers: dict[str, str]) -> int | None:
    found = refusal(_ENDPOINT, method, path, headers)
    return found and found.status


def _without(headers: dict[str, str], name: str) -> dict[str, str]:
    return {key: value for key, value in headers.items() if key != name}


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", _OWN, None),
        ("HEAD", "/api/v1/store", {**_OWN, "sec-fetch-site": "same-origin"}, None),
        ("GET", "/", {**_OWN, "cookie": "other=1; playdock_client_4000=secret"}, None),
        ("POST", "/_client/v1/updates", _WRITE, None),
        ("POST", "/api/v1/collection", _without(_WRITE, "playdock-client"), None),
        ("GET", "/_client/open", {"host": "127.0.0.1:4000"}, None),
        ("GET", "/_client/open", {"host": "127.0.0.1:4000", "sec-fetch-site": "same-site"}, None),
        ("GET", "/_client/open", {"host": "evil.example"}, 421),
        ("POST", "/_client/open", {"host": "127.0.0.1:4000"}, 403),
        ("GET", "/manifest.webmanifest", {"host": "127.0.0.1:4000"}, None),
        # Another name for this machine, as in DNS rebinding.
        ("GET", "/", {**_OWN, "host": "localhost:4000"}, 421),
        ("GET", "/", {**_OWN, "host": "evil.example"}, 421),
        ("GET", "/", _without(_OWN, "host"), 421),
        # Pages of other origins, also at another port of this machine.
        ("GET", "/", {**_OWN, "origin": "http://127.0.0.1:4001"}, 403),
        ("GET", "/", {**_OWN, "origin": "null"}, 403),
        ("GET", "/", {**_OWN, "sec-fetch-site": "same-site"}, 403),
        ("GET", "/_client/v1/state", {**_OWN, "sec-fetch-site": "cross-site"}, 403),
        ("POST", "/_client/v1/updates", _without(_WRITE, "origin"), 403),
        ("POST", "/_client/v1/updates", {**_WRITE, "origin": "https://evil.example"}, 403),
        ("POST", "/_client/v1/updates", _without(_WRITE, "playdock-client"), 403),
        ("POST", "/api/v1/collection", _without(_WRITE, "origin"), 403),
        # Programs of other users of this machine.
        ("GET", "/", _without(_OWN, "cookie"), 401),
        ("GET", "/", {**_OWN, "cookie": "playdock_client_4000=guess"}, 401),
        ("GET", "/", {**_OWN, "cookie": "playdock_client_4001=secret"}, 401),
        ("GET", "/", {**_OWN, "cookie": "playdock_client_4000"}, 401),
        ("POST", "/_client/v1/updates", _without(_WRITE, "cookie"), 401),
        ("POST", "/manifest.webmanifest", _without(_WRITE, "cookie"), 401),
    ],
)
def test_only_own_windows_are_answered(method: str, path: str, headers: dict[str, str], status: int | None) -> None:
    assert _status(method, path, headers) == status


def test_the_cookie_is_not_readable_by_scripts_or_sent_by_other_sites() -> None:
    assert cookie_header(_ENDPOINT) == "playdock_client_4000=secret; Path=/; HttpOnly; SameSite=Strict"


@pytest.mark.parametrize(
    ("path", "local"),
    [
        ("/", True),
        ("/games/1?x=2#y", True),
        ("//evil.example", False),
        ("/\\evil.example", False),
        ("https://evil.example", False),
        ("", False),
        ("/a b", False),
        ("/a\nb", False),
    ],
)
def test_redirects_stay_at_the_own_origin(path: str, *, local: bool) -> None:
    assert is_local_path(path) is local
