"""Somebody who visits the service with a browser and signs in by way of a provider."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx2

from playdock.http.cookies import NAME
from world import PASSWORD

from .browser import Browser
from .cookies import Cookie
from .real import CLIENT_ID, CLIENT_SECRET


def openid_settings(discovery: str, **wanted: Any) -> dict[str, Any]:
    """Give settings for a world whose people come by this provider."""
    return {
        "oidc_wellknown": discovery,
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": CLIENT_SECRET,
        "oidc_admin_group": "keepers",
        **wanted,
    }


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser at the service."""

    browser: Browser
    service: str

    @property
    def callback(self) -> str:
        return f"{self.service}/auth/callback/oidc"

    @property
    def me(self) -> dict[str, Any] | None:
        """The user who is signed in with this browser."""
        answer: dict[str, Any] | None = self.call("GET", "/api/v1/user").json()
        return answer

    @property
    def session_cookie(self) -> Cookie | None:
        return self.browser.jar.at(self.service).get(NAME)

    def call(self, method: str, path: str, body: Any = None) -> httpx2.Response:
        options = {} if body is None else {"json": body}
        return self.browser.fetch(method, self.service + path, **options)

    def begin(self, *, redirect: str | None = None) -> httpx2.Response:
        """Ask the service to sign in: one request."""
        query = "" if redirect is None else f"?redirect={quote(redirect, safe='')}"
        return self.browser.open(f"{self.service}/auth/oidc{query}")

    def begin_link(self) -> httpx2.Response:
        """Ask the service to link, as its own page does: one request."""
        self.browser.open(f"{self.service}/docs/api")
        return self.browser.click("/auth/oidc?link=true")

    def pass_provider(self, login: str = "") -> str:
        """Answer all that the provider asks, and give the address that it sends the browser back to."""
        came = self.browser.follow(until=self.callback)
        while not came.startswith(self.callback):
            forms = self.browser.forms()
            assert forms, self.browser.answer.text
            credentials = {"login": login, "password": "any"} if forms[0].values["prompt"] == "login" else {}
            self.browser.submit(**credentials)
            came = self.browser.follow(until=self.callback)
        return came

    def sign_in(self, login: str = "") -> dict[str, Any]:
        """Sign in by way of the provider, all the way, and give the user."""
        self.begin()
        self.pass_provider(login)
        self.browser.follow()
        assert self.browser.answer.status_code == 200, self.browser.answer.text
        user = self.me
        assert user is not None
        return user

    def sign_in_simple(self, username: str) -> None:
        body = {"username": username, "password": PASSWORD}
        signed_in = self.call("POST", "/api/v1/auth/signin/simple", body)
        assert signed_in.status_code == 200, signed_in.text
