"""Cookies: unreadable for scripts, not sent for other sites, and over https only where there is https.

Where there is https their names begin with ``__Host-``: browsers take such a cookie from this very host alone, so that
a neighbour below the same domain cannot put its own in the place of ours (RFC 6265bis, section 4.1.3.2).
"""

from datetime import timedelta

from litestar.datastructures import Cookie

NAME = "playdock_session"


def full_name(name: str, *, secure: bool) -> str:
    """Give the name by which browsers know a cookie."""
    return f"__Host-{name}" if secure else name


def own_cookie(name: str, value: str, *, lifetime: timedelta | None, secure: bool) -> Cookie:
    """Make a cookie; without a lifetime it goes when the browser closes."""
    key = full_name(name, secure=secure)
    seconds = None if lifetime is None else int(lifetime.total_seconds())
    return Cookie(key=key, value=value, httponly=True, samesite="lax", secure=secure, path="/", max_age=seconds)


def session_cookie(secret: str, *, lifetime: timedelta | None, secure: bool) -> Cookie:
    return own_cookie(NAME, secret, lifetime=lifetime, secure=secure)


def dead_cookie(*, secure: bool) -> Cookie:
    return own_cookie(NAME, "", lifetime=timedelta(), secure=secure)
