"""Cookies that scripts cannot read, that are not sent with cross-site requests, and that require https if it is used.

With https, their names begin with ``__Host-``. Browsers accept such cookies only from the same host, so that another
host of the domain cannot overwrite them (RFC 6265bis, section 4.1.3.2).
"""

from datetime import timedelta

from litestar.datastructures import Cookie

from playdock.auth.known_browsers import BrowserCookie

NAME = "playdock_session"
# Browsers keep a cookie for at most 400 days (RFC 6265bis); the next sign-in renews it.
_KNOWN_BROWSER_LIFETIME = timedelta(days=365)


def full_name(name: str, *, secure: bool) -> str:
    """Return the name of a cookie in HTTP headers."""
    return f"__Host-{name}" if secure else name


def own_cookie(name: str, value: str, *, lifetime: timedelta | None, secure: bool) -> Cookie:
    """Return a cookie; without a lifetime the browser deletes it when it closes."""
    key = full_name(name, secure=secure)
    seconds = None if lifetime is None else int(lifetime.total_seconds())
    return Cookie(key=key, value=value, httponly=True, samesite="lax", secure=secure, path="/", max_age=seconds)


def session_cookie(secret: str, *, lifetime: timedelta | None, secure: bool) -> Cookie:
    return own_cookie(NAME, secret, lifetime=lifetime, secure=secure)


def known_browser_cookie(cookie: BrowserCookie, *, secure: bool) -> Cookie:
    return own_cookie(cookie.name, cookie.value, lifetime=_KNOWN_BROWSER_LIFETIME, secure=secure)


# What a browser deletes when its user signs out: cached images. Cookies of known browsers and the language remain, and
# the pages delete what they have stored themselves.
SIGNED_OUT_HEADERS = {"Clear-Site-Data": '"cache"'}


def expired_cookie(*, secure: bool) -> Cookie:
    """Return a cookie that makes the browser delete the session cookie."""
    return own_cookie(NAME, "", lifetime=timedelta(), secure=secure)
