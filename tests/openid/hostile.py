"""An OpenID provider on loopback that lies as a test wants.

As made it is honest: whoever comes to it is signed in at once as ``person``. A test bends one thing or more: a field of
this class, or a whole answer (``replies``). ``straighten`` makes it honest again.
"""

import base64
import gzip
import hashlib
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit

from joserfc.jwk import KeySet

from .forging import Forge, base64url, key, signed
from .real import CLIENT_ID, CLIENT_SECRET

DISCOVERY = "/.well-known/openid-configuration"
AUTHORIZE, TOKEN, JWKS, USERINFO = "/authorize", "/token", "/jwks", "/userinfo"
_ACCESS_TOKEN = "an-access-token"
_LIFETIME_SECONDS = 300
_MOST_HANGING_SECONDS = 60
_CHUNK = b" " * 65536
_BOMB_BYTES = 4 * 1024 * 1024

Changes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that the provider got; a form's fields are its parameters."""

    method: str
    path: str
    parameters: dict[str, str]
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; an endless one goes on with spaces until nobody listens, a hanging one never begins."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    endless: bool = False
    hanging: bool = False

    @classmethod
    def json(cls, content: Any, *, status: int = 200) -> "Reply":
        return cls(status, json.dumps(content).encode(), {"Content-Type": "application/json"})

    @classmethod
    def html(cls, content: str, *, status: int = 200) -> "Reply":
        return cls(status, content.encode(), {"Content-Type": "text/html; charset=utf-8"})

    @classmethod
    def redirect(cls, address: str, *, status: int = 302) -> "Reply":
        return cls(status, headers={"Location": address})

    @classmethod
    def bomb(cls) -> "Reply":
        """Make an answer of some kilobytes that unpacks to megabytes."""
        packed = gzip.compress(b" " * _BOMB_BYTES)
        return cls(200, packed, {"Content-Type": "application/json", "Content-Encoding": "gzip"})


def changed(honest: Changes, changes: Changes) -> dict[str, Any]:
    """Give the honest fields with others in their place; None leaves a field out, a function bends what is honest."""
    bent = {name: value(honest.get(name)) if callable(value) else value for name, value in changes.items()}
    return {name: value for name, value in {**honest, **bent}.items() if value is not None}


@dataclass
class HostileProvider:
    """The provider and what it is told to do."""

    issuer: str
    person: dict[str, Any] = field(default_factory=dict)
    """The claims of whoever comes; they are in the ID token and in the userinfo."""
    discovery: Changes = field(default_factory=dict)
    response: Changes = field(default_factory=dict)
    """Changes to the parameters that the callback is called with."""
    token: Changes = field(default_factory=dict)
    """Changes to the answer of the token endpoint."""
    id_token: Changes = field(default_factory=dict)
    userinfo: Changes = field(default_factory=dict)
    signs_with: str = "first"
    publishes: tuple[str, ...] = ("first",)
    forge: Forge = signed
    replies: dict[str, Reply] = field(default_factory=dict)
    """Whole answers by path."""
    asked: list[Asked] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    """Codes and tokens that were given out: nobody else may learn of them."""
    stopping: threading.Event = field(default_factory=threading.Event)
    _begun: dict[str, dict[str, str]] = field(default_factory=dict)
    _subject: Any = None

    @property
    def discovery_url(self) -> str:
        return self.issuer + DISCOVERY

    def lie(self, **fields: Any) -> None:
        """Bend fields of this class, by name."""
        for name, value in fields.items():
            assert hasattr(self, name)
            setattr(self, name, value)

    def straighten(self) -> None:
        """Be honest from now on; the person and the keys stay."""
        self.discovery, self.response, self.token, self.id_token, self.userinfo = {}, {}, {}, {}, {}
        self.forge = signed
        self.replies = {}

    def asked_for(self, path: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.path == path]

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if asked.path in self.replies:
            return self.replies[asked.path]
        answers = {
            DISCOVERY: self._describe,
            AUTHORIZE: self._authorize,
            TOKEN: self._redeem,
            JWKS: self._publish,
            USERINFO: self._inform,
        }
        return answers[asked.path](asked) if asked.path in answers else Reply(404)

    def _describe(self, asked: Asked) -> Reply:
        honest = {
            "issuer": self.issuer,
            "authorization_endpoint": self.issuer + AUTHORIZE,
            "token_endpoint": self.issuer + TOKEN,
            "jwks_uri": self.issuer + JWKS,
            "userinfo_endpoint": self.issuer + USERINFO,
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }
        return Reply.json(changed(honest, self.discovery))

    def _authorize(self, asked: Asked) -> Reply:
        code = token_urlsafe()
        self._begun[code] = asked.parameters
        self.given.append(code)
        honest = {"code": code, "state": asked.parameters["state"], "iss": self.issuer}
        answer = urlencode(changed(honest, self.response))
        return Reply.redirect(f"{asked.parameters['redirect_uri']}?{answer}")

    def _redeem(self, asked: Asked) -> Reply:
        begun = self._begun.pop(asked.parameters.get("code", ""), None)
        if begun is None or begun["code_challenge"] != _challenge(asked.parameters.get("code_verifier", "")):
            return Reply.json({"error": "invalid_grant"}, status=400)
        if _credentials(asked) != (CLIENT_ID, CLIENT_SECRET):
            return Reply.json({"error": "invalid_client"}, status=401)
        now = int(time.time())
        honest = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + _LIFETIME_SECONDS,
            "nonce": begun.get("nonce"),
            **self.person,
        }
        claims = changed(honest, self.id_token)
        self._subject = claims.get("sub")
        id_token = self.forge(claims, self.signs_with)
        self.given += [id_token, _ACCESS_TOKEN]
        honest = {"access_token": _ACCESS_TOKEN, "token_type": "Bearer", "expires_in": 300, "id_token": id_token}
        return Reply.json(changed(honest, self.token))

    def _publish(self, asked: Asked) -> Reply:
        return Reply.json(KeySet([key(name) for name in self.publishes]).as_dict(private=False))

    def _inform(self, asked: Asked) -> Reply:
        if asked.headers.get("authorization") != f"Bearer {_ACCESS_TOKEN}":
            return Reply(401)
        return Reply.json(changed({**self.person, "sub": self._subject}, self.userinfo))


def _challenge(verifier: str) -> str:
    return base64url(hashlib.sha256(verifier.encode()).digest())


def _credentials(asked: Asked) -> tuple[str, str]:
    """Give client id and secret, from the header or from the form (RFC 6749, 2.3.1)."""
    scheme, _, encoded = asked.headers.get("authorization", "").partition(" ")
    if scheme == "Basic":
        name, _, secret = base64.b64decode(encoded).decode().partition(":")
        return unquote_plus(name), unquote_plus(secret)
    return asked.parameters.get("client_id", ""), asked.parameters.get("client_secret", "")


@contextmanager
def hostile_provider(**person: Any) -> Iterator[HostileProvider]:
    """Run a provider that signs in somebody with these claims."""
    server = _Server(("127.0.0.1", 0), _Answering)
    provider = server.provider = HostileProvider(f"http://localhost:{server.server_port}", person)
    thread = threading.Thread(target=server.serve_forever, args=[0.01], name="hostile provider")
    thread.start()
    try:
        yield provider
    finally:
        provider.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    provider: HostileProvider


class _Answering(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        """Print nothing."""

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        form = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        parameters = dict(parse_qsl(parts.query) + parse_qsl(form))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.provider.answer(Asked(self.command, parts.path, parameters, headers))
        with suppress(ConnectionError):  # who asked may have gone
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        stopping = self.server.provider.stopping
        if reply.hanging:
            stopping.wait(_MOST_HANGING_SECONDS)
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)
        while reply.endless and not stopping.is_set():
            self.wfile.write(_CHUNK)
