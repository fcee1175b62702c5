"""Cookies as browsers store them: by host regardless of the port, with their attributes."""

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
    """The relation of the initiator of a request to its target: the values of ``Sec-Fetch-Site``."""

    NONE = "none"
    SAME_ORIGIN = "same-origin"
    SAME_SITE = "same-site"
    CROSS_SITE = "cross-site"


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie; without a ``max_age`` it is deleted when the browser closes."""

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
    def key(self) -> tuple[str, str, str]:
        return self.host, self.name, self.path

    def is_sent(self, method: str, url: str, *, site: Site) -> bool:
        """Return whether a browser sends this cookie with a request for a page."""
        parts = urlsplit(url)
        path = parts.path or "/"
        is_within_path = path == self.path or path.startswith(self.path.rstrip("/") + "/")
        allowed = {"lax", "none"} if method == "GET" else {"none"}
        return self.host == parts.hostname and is_within_path and (site != Site.CROSS_SITE or self.same_site in allowed)


@dataclass
class CookieJar:
    """The cookies of one browser."""

    cookies: list[Cookie] = field(default_factory=list)

    def at(self, url: str) -> dict[str, Cookie]:
        """Return the cookies for the host of a URL by name."""
        return {cookie.name: cookie for cookie in self.cookies if cookie.host == urlsplit(url).hostname}

    def header(self, method: str, url: str, *, site: Site) -> dict[str, str]:
        sent = [cookie for cookie in self.cookies if cookie.is_sent(method, url, site=site)]
        return {"Cookie": "; ".join(f"{cookie.name}={cookie.value}" for cookie in sent)} if sent else {}

    def store(self, response: httpx2.Response) -> None:
        for cookie in _cookies_set(response):
            self.cookies = [old for old in self.cookies if old.key != cookie.key]
            if cookie.max_age is None or cookie.max_age > 0:
                self.cookies.append(cookie)


def _cookies_set(response: httpx2.Response) -> Iterator[Cookie]:
    for header in response.headers.get_list("set-cookie"):
        for morsel in SimpleCookie(header).values():
            yield Cookie.of(morsel, host=response.request.url.host)


def _max_age(morsel: "Morsel[str]") -> int | None:
    if morsel["max-age"] != "":
        return int(morsel["max-age"])
    if morsel["expires"]:
        return int((parsedate_to_datetime(morsel["expires"]) - datetime.now(UTC)).total_seconds())
    return None
