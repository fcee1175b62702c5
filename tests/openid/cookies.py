"""Cookies as a browser keeps them: by host whatever the port, and with what they were set with."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from http.cookies import Morsel, SimpleCookie
from typing import Self
from urllib.parse import urlsplit

import httpx2


class Site(StrEnum):
    """Who made a request happen: the values of ``Sec-Fetch-Site``."""

    NONE = "none"
    SAME_ORIGIN = "same-origin"
    SAME_SITE = "same-site"
    CROSS_SITE = "cross-site"


@dataclass(frozen=True, slots=True)
class Cookie:
    """One cookie; without a ``max_age`` it goes when the browser closes."""

    host: str
    name: str
    value: str
    path: str
    http_only: bool
    secure: bool
    same_site: str
    max_age: int | None

    @classmethod
    def of(cls, morsel: "Morsel[str]", *, host: str) -> Self:
        return cls(
            host=host,
            name=morsel.key,
            value=morsel.value,
            path=morsel["path"] or "/",
            http_only=bool(morsel["httponly"]),
            secure=bool(morsel["secure"]),
            same_site=(morsel["samesite"] or "lax").lower(),
            max_age=_max_age(morsel),
        )

    @property
    def place(self) -> tuple[str, str, str]:
        return self.host, self.name, self.path

    def goes_along(self, method: str, url: str, *, site: Site) -> bool:
        """Tell whether a browser sends this cookie with a request for a page."""
        parts = urlsplit(url)
        path = parts.path or "/"
        below = path == self.path or path.startswith(self.path.rstrip("/") + "/")
        welcome = {"lax", "none"} if method == "GET" else {"none"}
        return self.host == parts.hostname and below and (site != Site.CROSS_SITE or self.same_site in welcome)


@dataclass
class CookieJar:
    """The cookies of one browser."""

    cookies: list[Cookie] = field(default_factory=list)

    def at(self, url: str) -> dict[str, Cookie]:
        """Give the cookies of an address's host by name."""
        return {cookie.name: cookie for cookie in self.cookies if cookie.host == urlsplit(url).hostname}

    def header(self, method: str, url: str, *, site: Site) -> dict[str, str]:
        sent = [cookie for cookie in self.cookies if cookie.goes_along(method, url, site=site)]
        return {"Cookie": "; ".join(f"{cookie.name}={cookie.value}" for cookie in sent)} if sent else {}

    def keep(self, answer: httpx2.Response) -> None:
        for cookie in _cookies_set(answer):
            self.cookies = [old for old in self.cookies if old.place != cookie.place]
            if cookie.max_age is None or cookie.max_age > 0:
                self.cookies.append(cookie)


def _cookies_set(answer: httpx2.Response) -> Iterator[Cookie]:
    for header in answer.headers.get_list("set-cookie"):
        for morsel in SimpleCookie(header).values():
            yield Cookie.of(morsel, host=answer.request.url.host)


def _max_age(morsel: "Morsel[str]") -> int | None:
    if morsel["max-age"] != "":
        return int(morsel["max-age"])
    if morsel["expires"]:
        return int((parsedate_to_datetime(morsel["expires"]) - datetime.now(UTC)).total_seconds())
    return None
