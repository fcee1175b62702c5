"""A browser without scripts: redirects one by one, forms, cookies, and the headers by which a service knows it.

A test can interfere between any two steps: ``open`` makes one request and nothing more, ``leads_to`` says where its
answer sends the browser, ``follow`` goes there, all the way or until some address.
"""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookiejar import CookieJar as NoCookies
from http.cookiejar import DefaultCookiePolicy
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode, urljoin, urlsplit

import httpx2

from .cookies import CookieJar, Site

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_STEPS = 20
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Form:
    """A form of a page with the values it comes with."""

    action: str
    method: str
    values: dict[str, str]


class _Forms(HTMLParser):
    """Finds the forms of a page and what their fields hold; a button's value is given by who presses it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(given.get("action", ""), given.get("method", "get").upper(), {}))
        if tag == "input" and self.found and given.get("name"):
            self.found[-1].values[given["name"]] = given.get("value", "")


@dataclass(frozen=True, slots=True)
class Step:
    """A request that the browser made for a page, and what it got."""

    method: str
    url: str
    site: Site
    answer: httpx2.Response


def _client() -> httpx2.Client:
    """Make a client that leaves cookies and redirects to the browser."""
    keeps_nothing = NoCookies(DefaultCookiePolicy(allowed_domains=[]))
    return httpx2.Client(timeout=_PATIENCE, trust_env=False, follow_redirects=False, cookies=keeps_nothing)


@dataclass
class Browser:
    """One browser of one person, with one tab."""

    http: httpx2.Client = field(default_factory=_client)
    jar: CookieJar = field(default_factory=CookieJar)
    tells_site: bool = True
    """Whether it sends ``Sec-Fetch-Site``: browsers do to https and loopback, not to other addresses."""
    steps: list[Step] = field(default_factory=list)
    # Where the present redirects began: the page whose link or form it was, empty if typed; then every address since.
    chain: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    @property
    def answer(self) -> httpx2.Response:
        return self.steps[-1].answer

    @property
    def url(self) -> str:
        return self.steps[-1].url

    @property
    def leads_to(self) -> str:
        """The address that the present answer sends the browser to; empty where it is no redirect."""
        if self.answer.status_code not in _REDIRECTS:
            return ""
        return urljoin(self.url, self.answer.headers["location"])

    def open(self, url: str) -> httpx2.Response:
        """Type an address."""
        self.chain = [""]
        return self._request("GET", url)

    def click(self, url: str) -> httpx2.Response:
        """Go by a link of the present page."""
        self.chain = [self.url]
        return self._request("GET", urljoin(self.url, url))

    def submit(self, **values: str) -> httpx2.Response:
        """Send the only form of the present page with these values."""
        (form,) = self.forms()
        return self.send(form, **values)

    def send(self, form: Form, **values: str) -> httpx2.Response:
        """Send a form as if it stood on the present page."""
        self.chain = [self.url]
        return self._request(form.method, urljoin(self.url, form.action), form={**form.values, **values})

    def forms(self) -> list[Form]:
        parser = _Forms()
        parser.feed(self.answer.text)
        return parser.found

    def follow(self, *, until: str | None = None) -> str:
        """Follow redirects to a page, or up to an address that begins with ``until``; give the address."""
        for _ in range(_MOST_STEPS):
            if not self.leads_to:
                return self.url
            if until is not None and self.leads_to.startswith(until):
                return self.leads_to
            self.follow_once()
        raise AssertionError(f"The redirects do not end: {[step.url for step in self.steps[-_MOST_STEPS:]]}")

    def follow_once(self) -> httpx2.Response:
        assert self.answer.status_code not in {307, 308} or self.steps[-1].method == "GET", "A form is sent once only."
        return self._request("GET", self.leads_to)

    def fetch(self, method: str, url: str, **options: Any) -> httpx2.Response:
        """Make a call as a script of the service's own page does."""
        headers = {
            "Sec-Fetch-Site": Site.SAME_ORIGIN,
            "Sec-Fetch-Mode": "cors",
            "Sec-Fetch-Dest": "empty",
            **({} if method == "GET" else {"Origin": _origin(url)}),
            **self.jar.header(method, url, site=Site.SAME_ORIGIN),
        }
        answer = self.http.request(method, url, headers=headers, **options)
        self.jar.keep(answer)
        return answer

    def _request(self, method: str, url: str, *, form: dict[str, str] | None = None) -> httpx2.Response:
        self.chain.append(url)
        site = _site(self.chain)
        headers = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", **self.jar.header(method, url, site=site)}
        if self.tells_site:
            headers |= {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        if begun := self.chain[0]:
            headers["Referer"] = begun if site == Site.SAME_ORIGIN else f"{_origin(begun)}/"
        if form is not None:
            headers |= {"Origin": _origin(self.chain[0]), "Content-Type": "application/x-www-form-urlencoded"}
        answer = self.http.request(method, url, headers=headers, content=None if form is None else urlencode(form))
        self.jar.keep(answer)
        self.steps.append(Step(method, url, site, answer))
        return answer


def _site(chain: list[str]) -> Site:
    """Judge a chain of addresses as Fetch Metadata does: by the worst that was on the way."""
    begun, *passed = chain
    target = passed[-1]
    if not begun:
        return Site.NONE
    if all(_origin(each) == _origin(target) for each in chain):
        return Site.SAME_ORIGIN
    if all(urlsplit(each).hostname == urlsplit(target).hostname for each in chain):
        return Site.SAME_SITE
    return Site.CROSS_SITE


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
