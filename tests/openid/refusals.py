"""Assertions after rejected sign-ins."""

from html.parser import HTMLParser
from urllib.parse import quote_plus

from playdock.features.accounts.queries import any_user_exists
from world import World

from .hostile import HostileProvider
from .real import CLIENT_SECRET
from .visitor import Visitor

_STATUSES = frozenset({400, 401, 403, 404, 409, 503})


class _Page(HTMLParser):
    """The elements and links of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value for name, value in attrs if tag == "a" and name == "href" and value]


def assert_refused(visitor: Visitor) -> None:
    """Assert that the current page is an error page with a link to continue and without untrusted content."""
    response, page = visitor.browser.response, _Page(visitor.browser.response.text)
    assert response.status_code in _STATUSES, response.text
    assert visitor.browser.url.startswith(visitor.service)
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert response.headers["cache-control"] == "no-store"
    assert "script" not in page.tags
    assert page.links
    assert all(link.startswith("/") and not link.startswith("//") for link in page.links)
    assert "evil.example" not in response.text


def assert_no_account(visitor: Visitor, service: World) -> None:
    """Assert that the browser is not signed in and that no account exists."""
    assert (visitor.me, visitor.session_cookie) == (None, None)
    with service.services.db.read() as session:
        assert not any_user_exists(session)


def secrets_in(text: str, hostile: HostileProvider) -> list[str]:
    """Return the secrets of service and provider that occur in a text."""
    secrets = [CLIENT_SECRET, quote_plus(CLIENT_SECRET), *hostile.issued_secrets]
    return [secret for secret in secrets if secret in text]
