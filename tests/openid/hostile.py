"""An OpenID provider on loopback whose responses a test can falsify.

By default it follows the specification and signs in any visitor at once with the ``claims``. A test changes fields of
`HostileProvider` or overrides complete responses; `restore` reverts the changes.
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
_MAX_HANGING_SECONDS = 60
_CHUNK = b" " * 65536
_BOMB_BYTES = 4 * 1024 * 1024

Changes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A recorded request; the fields of a form are its parameters."""

    method: str
    path: str
    parameters: dict[str, str]
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Response:
    """A response; an endless one continues with spaces until the client disconnects, a hanging one never begins."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    endless: bool = False
    hanging: bool = False

    @classmethod
    def json(cls, content: Any, *, status: int = 200) -> "Response":
        return cls(status, json.dumps(content).encode(), {"Content-Type": "application/json"})

    @classmethod
    def html(cls, content: str, *, status: int = 200) -> "Response":
        return cls(status, content.encode(), {"Content-Type": "text/html; charset=utf-8"})

    @classmethod
    def redirect(cls, address: str, *, status: int = 302) -> "Response":
        return cls(status, headers={"Location": address})

    @classmethod
    def bomb(cls) -> "Response":
        """Return a response of some kilobytes that decompresses to megabytes."""
        packed = gzip.compress(b" " * _BOMB_BYTES)
        return cls(200, packed, {"Content-Type": "application/json", "Content-Encoding": "gzip"})


def with_changes(honest: Changes, changes: Changes) -> dict[str, Any]:
    """Return fields with changes: None removes a field, and a function computes it from the original value."""
    changed_values = {name: value(honest.get(name)) if callable(value) else value for name, value in changes.items()}
    return {name: value for name, value in {**honest, **changed_values}.items() if value is not None}


@dataclass
class HostileProvider:
    """The provider and its configuration."""

    issuer: str
    claims: dict[str, Any] = field(default_factory=dict)
    """The claims of any visitor, in the ID token and the userinfo."""
    discovery: Changes = field(default_factory=dict)
    callback: Changes = field(default_factory=dict)
    """Changes to the parameters of the callback."""
    token: Changes = field(default_factory=dict)
    """Changes to the response of the token endpoint."""
    id_token: Changes = field(default_factory=dict)
    userinfo: Changes = field(default_factory=dict)
    signs_with: str = "first"
    publishes: tuple[str, ...] = ("first",)
    forge: Forge = signed
    overrides: dict[str, Response] = field(default_factory=dict)
    """Complete responses by path."""
    requests: list[RecordedRequest] = field(default_factory=list)
    issued_secrets: list[str] = field(default_factory=list)
    """Issued codes and tokens, which must not be disclosed."""
    stopping: threading.Event = field(default_factory=threading.Event)
    _pending: dict[str, dict[str, str]] = field(default_factory=dict)
    _subject: Any = None

    @property
    def discovery_url(self) -> str:
        return self.issuer + DISCOVERY

    def configure(self, **fields: Any) -> None:
        """Set fields of this class by name."""
        for name, value in fields.items():
            assert hasattr(self, name)
            setattr(self, name, value)

    def restore(self) -> None:
        """Revert all changes except those of the claims and the keys."""
        self.discovery, self.callback, self.token, self.id_token, self.userinfo = {}, {}, {}, {}, {}
        self.forge = signed
        self.overrides = {}

    def requests_to(self, path: str) -> list[RecordedRequest]:
        return [request for request in self.requests if request.path == path]

    def respond(self, request: RecordedRequest) -> Response:
        self.requests.append(request)
        if request.path in self.overrides:
            return self.overrides[request.path]
        handlers = {
            DISCOVERY: self._return_discovery,
            AUTHORIZE: self._authorize,
            TOKEN: self._return_tokens,
            JWKS: self._return_keys,
            USERINFO: self._return_userinfo,
        }
        return handlers[request.path](request) if request.path in handlers else Response(404)

    def _return_discovery(self, request: RecordedRequest) -> Response:
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
        return Response.json(with_changes(honest, self.discovery))

    def _authorize(self, request: RecordedRequest) -> Response:
        code = token_urlsafe()
        self._pending[code] = request.parameters
        self.issued_secrets.append(code)
        honest = {"code": code, "state": request.parameters["state"], "iss": self.issuer}
        query = urlencode(with_changes(honest, self.callback))
        return Response.redirect(f"{request.parameters['redirect_uri']}?{query}")

    def _return_tokens(self, request: RecordedRequest) -> Response:
        pending = self._pending.pop(request.parameters.get("code", ""), None)
        if pending is None or pending["code_challenge"] != _challenge(request.parameters.get("code_verifier", "")):
            return Response.json({"error": "invalid_grant"}, status=400)
        if _credentials(request) != (CLIENT_ID, CLIENT_SECRET):
            return Response.json({"error": "invalid_client"}, status=401)
        now = int(time.time())
        honest = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + _LIFETIME_SECONDS,
            "nonce": pending.get("nonce"),
            "auth_time": now if "max_age" in pending else None,
            **self.claims,
        }
        claims = with_changes(honest, self.id_token)
        self._subject = claims.get("sub")
        id_token = self.forge(claims, self.signs_with)
        self.issued_secrets += [id_token, _ACCESS_TOKEN]
        honest = {"access_token": _ACCESS_TOKEN, "token_type": "Bearer", "expires_in": 300, "id_token": id_token}
        return Response.json(with_changes(honest, self.token))

    def _return_keys(self, request: RecordedRequest) -> Response:
        return Response.json(KeySet([key(name) for name in self.publishes]).as_dict(private=False))

    def _return_userinfo(self, request: RecordedRequest) -> Response:
        if request.headers.get("authorization") != f"Bearer {_ACCESS_TOKEN}":
            return Response(401)
        return Response.json(with_changes({**self.claims, "sub": self._subject}, self.userinfo))


def _challenge(verifier: str) -> str:
    return base64url(hashlib.sha256(verifier.encode()).digest())


def _credentials(request: RecordedRequest) -> tuple[str, str]:
    """Return the client id and secret in the header or the form (RFC 6749, 2.3.1)."""
    scheme, _, encoded = request.headers.get("authorization", "").partition(" ")
    if scheme == "Basic":
        name, _, secret = base64.b64decode(encoded).decode().partition(":")
        return unquote_plus(name), unquote_plus(secret)
    return request.parameters.get("client_id", ""), request.parameters.get("client_secret", "")


@contextmanager
def hostile_provider(**claims: Any) -> Iterator[HostileProvider]:
    """Run a provider that signs in any visitor with these claims."""
    server = _Server(("127.0.0.1", 0), _Handler)
    provider = server.provider = HostileProvider(f"http://localhost:{server.server_port}", claims)
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


class _Handler(BaseHTTPRequestHandler):
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
        response = self.server.provider.respond(RecordedRequest(self.command, parts.path, parameters, headers))
        with suppress(ConnectionError):  # the client may have disconnected
            self._send(response)

    def _send(self, response: Response) -> None:
        stopping = self.server.provider.stopping
        if response.hanging:
            stopping.wait(_MAX_HANGING_SECONDS)
            return
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(response.body)
        while response.endless and not stopping.is_set():
            self.wfile.write(_CHUNK)
