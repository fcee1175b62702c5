"""The attributes and names of cookies."""

from datetime import timedelta

import pytest

from playdock.server.cookies import expired_cookie, session_cookie
from playdock.settings import Settings

_HTTPS = Settings(external_url="https://play.example.org")


@pytest.mark.parametrize(
    ("external_url", "name", "path"),
    [
        ("https://play.example.org", "__Host-playdock_session", "/"),
        ("https://example.org/games", "__Secure-playdock_session.games", "/games"),
        ("https://example.org/a/b", "__Secure-playdock_session.a.b", "/a/b"),
        ("http://play.example.org", "playdock_session", "/"),
        ("http://example.org/games", "playdock_session.games", "/games"),
    ],
)
def test_a_cookie_is_hidden_from_scripts_and_other_sites(external_url: str, name: str, path: str) -> None:
    header = session_cookie("pds_secret", lifetime=None, settings=Settings(external_url=external_url)).to_header(
        header=""
    )
    parts = set(header.lower().split("; "))

    assert header.startswith((f'{name}="pds_secret"', f"{name}=pds_secret"))
    assert {"httponly", "samesite=lax", f"path={path}"} <= parts
    assert ("secure" in parts) is external_url.startswith("https:")


def test_with_https_other_hosts_cannot_set_the_cookie() -> None:
    """Browsers require of the prefix ``__Host-``: Secure, Path=/ and no Domain."""
    cookie = session_cookie("s", lifetime=None, settings=_HTTPS)

    assert cookie.key.startswith("__Host-")
    assert (cookie.secure, cookie.path, cookie.domain) == (True, "/", None)


def test_a_cookie_without_a_lifetime_ends_with_the_browser() -> None:
    assert session_cookie("s", lifetime=None, settings=_HTTPS).max_age is None
    assert session_cookie("s", lifetime=timedelta(days=90), settings=_HTTPS).max_age == 7_776_000


def test_an_expired_cookie_replaces_the_active_one() -> None:
    dead, active = expired_cookie(settings=_HTTPS), session_cookie("s", lifetime=None, settings=_HTTPS)

    assert (dead.value, dead.max_age) == ("", 0)
    assert (dead.key, dead.path, dead.domain) == (active.key, active.path, active.domain)
