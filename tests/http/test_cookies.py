"""Cookies."""

from datetime import timedelta

import pytest

from playdock.http.cookies import dead_cookie, session_cookie


@pytest.mark.parametrize(("secure", "name"), [(True, "__Host-playdock_session"), (False, "playdock_session")])
def test_a_cookie_is_kept_from_scripts_and_other_sites(*, secure: bool, name: str) -> None:
    header = session_cookie("pds_secret", lifetime=None, secure=secure).to_header(header="")
    parts = set(header.lower().split("; "))

    assert header.startswith((f'{name}="pds_secret"', f"{name}=pds_secret"))
    assert {"httponly", "samesite=lax", "path=/"} <= parts
    assert ("secure" in parts) is secure


def test_by_https_browsers_take_a_cookie_from_no_neighbour() -> None:
    """What browsers want of a name that begins so: https, the whole of one host, and no other host named."""
    cookie = session_cookie("s", lifetime=None, secure=True)

    assert cookie.key.startswith("__Host-")
    assert (cookie.secure, cookie.path, cookie.domain) == (True, "/", None)


def test_a_cookie_goes_with_the_browser_unless_it_is_to_last() -> None:
    assert session_cookie("s", lifetime=None, secure=True).max_age is None
    assert session_cookie("s", lifetime=timedelta(days=90), secure=True).max_age == 7_776_000


def test_a_dead_cookie_replaces_the_living_one() -> None:
    dead, living = dead_cookie(secure=True), session_cookie("s", lifetime=None, secure=True)

    assert (dead.value, dead.max_age) == ("", 0)
    assert (dead.key, dead.path, dead.domain) == (living.key, living.path, living.domain)
