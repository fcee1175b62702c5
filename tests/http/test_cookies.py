"""The session cookie."""

from datetime import timedelta

import pytest

from playdock.http.cookies import dead_cookie, session_cookie


@pytest.mark.parametrize(("secure", "told"), [(True, True), (False, False)])
def test_a_cookie_is_kept_from_scripts_and_other_sites(*, secure: bool, told: bool) -> None:
    header = session_cookie("pds_secret", lifetime=None, secure=secure).to_header(header="").lower()

    assert header.startswith(('playdock_session="pds_secret"', "playdock_session=pds_secret"))
    assert {"httponly", "samesite=lax", "path=/"} <= set(header.split("; "))
    assert ("secure" in header.split("; ")) is told


def test_a_cookie_goes_with_the_browser_unless_it_is_to_last() -> None:
    assert session_cookie("s", lifetime=None, secure=True).max_age is None
    assert session_cookie("s", lifetime=timedelta(days=90), secure=True).max_age == 7_776_000


def test_a_dead_cookie_replaces_the_living_one() -> None:
    dead, living = dead_cookie(secure=True), session_cookie("s", lifetime=None, secure=True)

    assert (dead.value, dead.max_age) == ("", 0)
    assert (dead.key, dead.path, dead.domain) == (living.key, living.path, living.domain)
