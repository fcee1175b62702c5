"""Known browsers: where a user has signed in before, so that failed attempts elsewhere do not stop the user there.

This is OWASP's protocol "device cookies". A cookie contains a random id and its signature. The key of the signature is
the hash of the user's password, which is secret and has 256 random bits of its own. A cookie is therefore valid for one
user until the password changes. It does not identify anyone: it only decides how failed attempts are counted.
"""

import hmac

from msgspec import Struct

from playdock.kit.identifiers import digest, new_secret

# Enough that users of one browser have cookies of their own, without their names in it.
_NAME_DIGITS = 16


class BrowserCookie(Struct, frozen=True):
    """The name and the value of the cookie that makes a browser known."""

    name: str
    value: str


def cookie_name(normalized_name: str) -> str:
    """Return the name of the cookie for a user name, whether or not there is such a user."""
    return f"playdock_browser_{digest(normalized_name)[:_NAME_DIGITS]}"


def new_cookie(normalized_name: str, *, password_hash: str) -> BrowserCookie:
    browser = new_secret("browser")
    return BrowserCookie(cookie_name(normalized_name), f"{browser}.{_signature(browser, password_hash)}")


def browser_of(cookie: str, *, password_hash: str) -> str | None:
    """Return the id of the browser to which a cookie was sent for this user, None if the cookie is not valid."""
    browser, _, signature = cookie.partition(".")
    expected = _signature(browser, password_hash)
    return browser if hmac.compare_digest(signature.encode("utf-8", "surrogatepass"), expected.encode()) else None


def _signature(browser: str, password_hash: str) -> str:
    return hmac.digest(password_hash.encode(), browser.encode("utf-8", "surrogatepass"), "sha256").hex()
