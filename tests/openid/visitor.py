"""A visitor, who signs in to the service through a provider with a browser."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx2

from playdock.server.cookies import NAME
from world import PASSWORD

from .browser import Browser
from .cookies import Cookie
from .real import CLIENT_ID, CLIENT_SECRET


def openid_settings(discovery: str, **options: Any) -> dict[str, Any]:
    """Return the settings of a service that uses a provider."""
    return {
        "oidc_wellknown": discovery,
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": CLIENT_SECRET,
        "oidc_admin_group": "keepers",
        **options,
    }


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser and the service that it visits."""

    browser: Browser
    service: str

    @property
    def callback(self) -> str:
        return f"{self.service}/auth/callback/oidc"

    @property
    def me(self) -> dict[str, Any] | None:
        """The signed-in user, or None."""
        response: dict[str, Any] | None = self.call("GET", "/api/v1/user").json()
        return response

    @property
    def session_cookie(self) -> Cookie | None:
        return self.browser.jar.at(self.service).get(NAME)

    def call(self, method: str, path: str, body: Any = None) -> httpx2.Response:
        options = {} if body is None else {"json": body}
        return self.browser.fetch(method, self.service + path, **options)

    def start(self, *, redirect: str | None = None) -> httpx2.Response:
        """Send the request that starts a sign-in."""
        query = "" if redirect is None else f"?redirect={quote(redirect, safe='')}"
        return self.browser.open(f"{self.service}/auth/oidc{query}")

    def start_linking(self) -> httpx2.Response:
        """Send the request that starts linking, as the page of the service does."""
        self.browser.open(f"{self.service}/docs/api")
        return self.browser.click("/auth/oidc?link=true")

    def authenticate(self, login: str = "") -> str:
        """Complete the forms of the provider and return the URL of the callback."""
        callback = self.browser.follow(until=self.callback)
        while not callback.startswith(self.callback):
            forms = self.browser.forms()
            assert forms, self.browser.response.text
            credentials = {"login": login, "password": "any"} if forms[0].values["prompt"] == "login" else {}
            self.browser.submit(**credentials)
            callback = self.browser.follow(until=self.callback)
        return callback

    def sign_in(self, login: str = "") -> dict[str, Any]:
        """Sign in through the provider and return the user."""
        self.start()
        self.authenticate(login)
        self.browser.follow()
        assert self.browser.response.status_code == 200, self.browser.response.text
        user = self.me
        assert user is not None
        return user

    def sign_in_simple(self, username: str) -> None:
        body = {"username": username, "password": PASSWORD}
        signed_in = self.call("POST", "/api/v1/auth/signin/simple", body)
        assert signed_in.status_code == 200, signed_in.text
