"""Calling the service."""

import ssl
import threading
from collections import Counter
from typing import Any

import httpx2
from msgspec import Struct, field

PASSWORD = "correct horse battery"
# Longer than the longest wait of the service for a lock (30 s).
_TIMEOUT_SECONDS = 60.0
# Loading the system's certificates takes longer than most calls.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
_FAILURE = 500
_REFUSAL = 400


class Refused(Exception):
    """The service refused a request that it should have accepted."""


class Unanswered(Exception):
    """The request was not acknowledged: there was no complete response, or the service reported a failure."""


class Responses(Struct):
    """How many responses there were of each kind."""

    counts: Counter[str] = field(default_factory=Counter)
    lock: Any = field(default_factory=threading.Lock)

    def count(self, kind: str) -> None:
        with self.lock:
            self.counts[kind] += 1


class Connection:
    """A client of the service. Used by one thread at a time."""

    def __init__(self, address: str, responses: Responses | None = None) -> None:
        self.token = ""
        self.address = address
        self._responses = responses or Responses()
        self._http = httpx2.Client(base_url=address, timeout=_TIMEOUT_SECONDS, verify=_NO_TLS)

    def call(self, method: str, path: str, *, allowed: tuple[int, ...] = (), **options: Any) -> httpx2.Response:
        """Return a complete response whose status is a success or allowed.

        Raises:
            Unanswered: there was no complete response, or its status was 5xx.
            Refused: its status was 4xx and not allowed.
        """
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= options.pop("headers", {})
        try:
            response = self._http.request(method, path, headers=headers, **options)
        except httpx2.HTTPError as error:
            self._responses.count(type(error).__name__)
            raise Unanswered(f"{method} {path}: {type(error).__name__}") from None
        self._responses.count(str(response.status_code))
        if response.status_code == _FAILURE:
            self._responses.count(f"500 {method} {_without_ids(path)}")
        if response.status_code >= _FAILURE and response.status_code not in allowed:
            raise Unanswered(f"{method} {path}: {response.status_code} {response.text}")
        if response.status_code >= _REFUSAL and response.status_code not in allowed:
            raise Refused(f"{method} {path}: {response.status_code} {response.text}")
        return response

    def get(self, path: str, **options: Any) -> Any:
        return self.call("GET", path, **options).json()

    def post(self, path: str, body: Any = None, **options: Any) -> Any:
        return self.call("POST", path, json=body, **options).json()

    def sign_in(self, username: str, password: str = PASSWORD) -> None:
        """Sign in for a long time, so that clock jumps do not end the session."""
        body = {"username": username, "password": password, "rememberMe": True}
        self.token = self.post("/api/v1/auth/signin/simple", body)["accessToken"]

    def close(self) -> None:
        self._http.close()


def _without_ids(path: str) -> str:
    return "/".join("{}" if any(letter.isdigit() for letter in part[1:]) else part for part in path.split("/"))
