"""The session cookie: unreadable for scripts, not sent for other sites, and over https only where there is https."""

from datetime import timedelta

from litestar.datastructures import Cookie

NAME = "playdock_session"


def session_cookie(secret: str, *, lifetime: timedelta | None, secure: bool) -> Cookie:
    """Make the cookie of a session; without a lifetime it goes when the browser closes."""
    seconds = int(lifetime.total_seconds()) if lifetime else None
    return Cookie(key=NAME, value=secret, httponly=True, samesite="lax", secure=secure, path="/", max_age=seconds)


def dead_cookie(*, secure: bool) -> Cookie:
    return Cookie(key=NAME, value="", httponly=True, samesite="lax", secure=secure, path="/", max_age=0)
