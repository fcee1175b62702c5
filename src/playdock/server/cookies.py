"""Cookies that scripts cannot read, that are not sent with cross-site requests, and that require https if it is used.

With https, their names begin with ``__Host-``. Browsers accept such cookies only from the same host, so that another
host of the domain cannot overwrite them (RFC 6265bis, section 4.1.3.2). That prefix requires the path ``/``. If the
external URL has a path, the cookies are sent only below it, their names begin with ``__Secure-``, and they end with the
path, so that they differ from those of another service at a shorter path, which browsers send too.
"""

from datetime import timedelta

from litestar.datastructures import Cookie

from playdock.auth.known_browsers import BrowserCookie
from playdock.settings import Settings

NAME = "playdock_session"
# Browsers keep a cookie for at most 400 days (RFC 6265bis); the next sign-in renews it.
_KNOWN_BROWSER_LIFETIME = timedelta(days=365)


def full_name(name: str, *, settings: Settings) -> str:
    """Return the name of a cookie in HTTP headers."""
    prefix = "__Secure-" if settings.url_path else "__Host-"
    return f"{prefix if settings.secure else ''}{name}{settings.url_path.replace('/', '.')}"


def own_cookie(name: str, value: str, *, lifetime: timedelta | None, settings: Settings) -> Cookie:
    """Return a cookie; without a lifetime the browser deletes it when it closes."""
    key = full_name(name, settings=settings)
    seconds = None if lifetime is None else int(lifetime.total_seconds())
    return Cookie(
        key=key,
        value=value,
        httponly=True,
        samesite="lax",
        secure=settings.secure,
        path=settings.url_path or "/",
        max_age=seconds,
    )


def session_cookie(secret: str, *, lifetime: timedelta | None, settings: Settings) -> Cookie:
    return own_cookie(NAME, secret, lifetime=lifetime, settings=settings)


def known_browser_cookie(cookie: BrowserCookie, *, settings: Settings) -> Cookie:
    return own_cookie(cookie.name, cookie.value, lifetime=_KNOWN_BROWSER_LIFETIME, settings=settings)


# What a browser deletes when its user signs out: cached images. Cookies of known browsers and the language remain, and
# the pages delete what they have stored themselves.
SIGNED_OUT_HEADERS = {"Clear-Site-Data": '"cache"'}


def expired_cookie(*, settings: Settings) -> Cookie:
    """Return a cookie that makes the browser delete the session cookie."""
    return own_cookie(NAME, "", lifetime=timedelta(), settings=settings)
