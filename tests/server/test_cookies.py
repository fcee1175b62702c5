"""The attributes and names of cookies."""

from datetime import timedelta

import pytest

from playdock.server.cookies import expired_cookie, session_cookie


@pytest.mark.parametrize(("secure", "name"), [(True, "__Host-playdock_session"), (False, "playdock_session")])
def test_a_cookie_is_hidden_from_scripts_and_other_sites(*, secure: bool, name: str) -> None:
    header = session_cookie("pds_secret", lifetime=None, secure=secure).to_header(header="")
    parts = set(header.lower().split("; "))

    assert header.startswith((f'{name}="pds_secret"', f"{name}=pds_secret"))
    assert {"httponly", "samesite=lax", "path=/"} <= parts
    assert ("secure" in parts) is secure


def test_with_https_other_hosts_cannot_set_the_cookie() -> None:
    """Browsers require of the prefix ``__Host-``: Secure, Path=/ and no Domain."""
    cookie = session_cookie("s", lifetime=None, secure=True)

    assert cookie.key.startswith("__Host-")
    assert (cookie.secure, cookie.path, cookie.domain) == (True, "/", None)


def test_a_cookie_without_a_lifetime_ends_with_the_browser() -> None:
    assert session_cookie("s", lifetime=None, secure=True).max_age is None
    assert session_cookie("s", lifetime=timedelta(days=90), secure=True).max_age == 7_776_000


def test_an_expired_cookie_replaces_the_active_one() -> None:
    dead, active = expired_cookie(secure=True), session_cookie("s", lifetime=None, secure=True)

    assert (dead.value, dead.max_age) == ("", 0)
    assert (dead.key, dead.path, dead.domain) == (active.key, active.path, active.domain)
