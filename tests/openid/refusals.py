"""What there is to check after each refusal."""

from html.parser import HTMLParser
from urllib.parse import quote_plus

from playdock.features.accounts.queries import any_user
from world import World

from .hostile import HostileProvider
from .real import CLIENT_SECRET
from .visits import Visitor

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


def assert_page_refuses(visitor: Visitor) -> None:
    """Check that the present page says that it went wrong, shows a way on, and does nothing for whoever lied."""
    answer, page = visitor.browser.answer, _Page(visitor.browser.answer.text)
    assert answer.status_code in _STATUSES, answer.text
    assert visitor.browser.url.startswith(visitor.service)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert "script" not in page.tags
    assert page.links
    assert all(link.startswith("/") and not link.startswith("//") for link in page.links)
    assert "evil.example" not in answer.text


def assert_nobody_came(visitor: Visitor, service: World) -> None:
    """Check that nobody is signed in with this browser, and that there is no account at all."""
    assert (visitor.me, visitor.session_cookie) == (None, None)
    with service.services.db.read() as session:
        assert not any_user(session)


def secrets_in(text: str, hostile: HostileProvider) -> list[str]:
    """Give the secrets between the service and the provider that a text holds."""
    secrets = [CLIENT_SECRET, quote_plus(CLIENT_SECRET), *hostile.given]
    return [secret for secret in secrets if secret in text]
