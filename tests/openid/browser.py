"""A browser without scripts: single redirects, forms, cookies, and the headers that browsers send.

A test can intervene between any two steps: ``open`` sends one request, ``redirect_target`` is the URL of a redirect,
and ``follow`` follows redirects to the end or up to a URL.
"""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookiejar import CookieJar as NoCookies
from http.cookiejar import DefaultCookiePolicy
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode, urljoin, urlsplit

import httpx2

from world import NO_TLS

from .cookies import CookieJar, Site

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_STEPS = 20
_TIMEOUT_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Form:
    """A form of a page with the values it comes with."""

    action: str
    method: str
    values: dict[str, str]


class _Forms(HTMLParser):
    """Collects the forms of a page and the values of their fields, except for buttons."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(attributes.get("action", ""), attributes.get("method", "get").upper(), {}))
        if tag == "input" and self.found and attributes.get("name"):
            self.found[-1].values[attributes["name"]] = attributes.get("value", "")


@dataclass(frozen=True, slots=True)
class Step:
    """A request for a page and its response."""

    method: str
    url: str
    site: Site
    response: httpx2.Response


def _client() -> httpx2.Client:
    """Return a client that leaves cookies and redirects to the browser."""
    without_cookies = NoCookies(DefaultCookiePolicy(allowed_domains=[]))
    return httpx2.Client(
        timeout=_TIMEOUT_SECONDS, trust_env=False, follow_redirects=False, cookies=without_cookies, verify=NO_TLS
    )


@dataclass
class Browser:
    """A browser with one tab."""

    http: httpx2.Client = field(default_factory=_client)
    jar: CookieJar = field(default_factory=CookieJar)
    sends_fetch_site: bool = True
    """Whether it sends ``Sec-Fetch-Site``, which browsers send only over https and to loopback addresses."""
    steps: list[Step] = field(default_factory=list)
    # The page whose link or form started the current redirects (empty if the URL was typed), and all URLs since.
    chain: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    @property
    def response(self) -> httpx2.Response:
        return self.steps[-1].response

    @property
    def url(self) -> str:
        return self.steps[-1].url

    @property
    def redirect_target(self) -> str:
        """The URL to which the current response redirects, empty if it is not a redirect."""
        if self.response.status_code not in _REDIRECTS:
            return ""
        return urljoin(self.url, self.response.headers["location"])

    def open(self, url: str) -> httpx2.Response:
        """Open a URL as if it was typed."""
        self.chain = [""]
        return self._request("GET", url)

    def click(self, url: str) -> httpx2.Response:
        """Open the URL of a link on the current page."""
        self.chain = [self.url]
        return self._request("GET", urljoin(self.url, url))

    def submit(self, **values: str) -> httpx2.Response:
        """Submit the only form of the current page with these values."""
        (form,) = self.forms()
        return self.send(form, **values)

    def send(self, form: Form, **values: str) -> httpx2.Response:
        """Submit a form as if it was on the current page."""
        self.chain = [self.url]
        return self._request(form.method, urljoin(self.url, form.action), form={**form.values, **values})

    def forms(self) -> list[Form]:
        parser = _Forms()
        parser.feed(self.response.text)
        return parser.found

    def follow(self, *, until: str | None = None) -> str:
        """Follow redirects to a page, or up to a URL that begins with ``until``, and return the URL."""
        for _ in range(_MAX_STEPS):
            if not self.redirect_target:
                return self.url
            if until is not None and self.redirect_target.startswith(until):
                return self.redirect_target
            self.follow_once()
        raise AssertionError(f"The redirects do not end: {[step.url for step in self.steps[-_MAX_STEPS:]]}")

    def follow_once(self) -> httpx2.Response:
        assert self.response.status_code not in {307, 308} or self.steps[-1].method == "GET", (
            "A form is sent once only."
        )
        return self._request("GET", self.redirect_target)

    def fetch(self, method: str, url: str, **options: Any) -> httpx2.Response:
        """Send a request as a script of the service's own page does."""
        headers = {
            "Sec-Fetch-Site": Site.SAME_ORIGIN,
            "Sec-Fetch-Mode": "cors",
            "Sec-Fetch-Dest": "empty",
            **({} if method == "GET" else {"Origin": _origin(url)}),
            **self.jar.header(method, url, site=Site.SAME_ORIGIN),
        }
        response = self.http.request(method, url, headers=headers, **options)
        self.jar.store(response)
        return response

    def _request(self, method: str, url: str, *, form: dict[str, str] | None = None) -> httpx2.Response:
        self.chain.append(url)
        site = _site(self.chain)
        headers = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", **self.jar.header(method, url, site=site)}
        if self.sends_fetch_site:
            headers |= {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        if start := self.chain[0]:
            headers["Referer"] = start if site == Site.SAME_ORIGIN else f"{_origin(start)}/"
        if form is not None:
            headers |= {"Origin": _origin(self.chain[0]), "Content-Type": "application/x-www-form-urlencoded"}
        response = self.http.request(method, url, headers=headers, content=None if form is None else urlencode(form))
        self.jar.store(response)
        self.steps.append(Step(method, url, site, response))
        return response


def _site(chain: list[str]) -> Site:
    """Return the value of Sec-Fetch-Site for a chain of URLs, which the least related URL determines."""
    start, *passed = chain
    target = passed[-1]
    if not start:
        return Site.NONE
    if all(_origin(each) == _origin(target) for each in chain):
        return Site.SAME_ORIGIN
    if all(urlsplit(each).hostname == urlsplit(target).hostname for each in chain):
        return Site.SAME_SITE
    return Site.CROSS_SITE


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
