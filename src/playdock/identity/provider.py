"""Talking with the provider: where to send a browser, and what the code that it brings back is worth."""

from base64 import b64encode, urlsafe_b64encode
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar
from urllib.parse import quote_plus, urlencode

import msgspec

from playdock.fetching.errors import FetchFailed
from playdock.fetching.web import Bounds, Reply, Request, Web, origin_of
from playdock.identity.claims import Claims, Expected, UnknownKey, find_claim, subject_of
from playdock.identity.discovery import Discovered, configured, read_document
from playdock.identity.errors import ProviderAway, ProviderUnusable, SignInRefused
from playdock.identity.remembering import Remembered
from playdock.kit.clock import Clock
from playdock.kit.late import late
from playdock.settings import Settings

_Answer = TypeVar("_Answer")
# Cryptography is a fifth of what the service loads, and most have no use for it.
_ID_TOKENS = "playdock.identity.id_tokens"
CALLBACK = "/auth/callback/oidc"
_KEPT = timedelta(hours=1)
_MOST_BYTES = 1024**2
_SECONDS = 10.0
_OK = 200
_FIRST_OF_SERVER_FAULTS = 500
_FORM = "application/x-www-form-urlencoded"
# Keys are asked for again when a signature is not by one of them: at most this often within a minute.
_MOST_RENEWALS = 5
_RENEWALS_WITHIN = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What ties a sign-in to the browser that began it: sent with the browser, compared with what comes back."""

    state: str
    nonce: str
    verifier: str

    @property
    def challenge(self) -> str:
        """The verifier's digest, which shows that whoever has the code also has the verifier (RFC 7636, S256)."""
        return urlsafe_b64encode(sha256(self.verifier.encode()).digest()).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class SignIn:
    """Who signed in: the claims, of which ``iss`` and ``sub`` say who it is, and the ID token they came with."""

    claims: Claims
    id_token: str

    @property
    def subject(self) -> str:
        return subject_of(self.claims)


class _Tokens(msgspec.Struct):
    id_token: str
    access_token: str | None = None


class _Refusal(msgspec.Struct):
    error: str


class Provider:
    """The provider that the settings name. Nothing is asked of it before somebody wants to sign in."""

    def __init__(self, settings: Settings, web: Web, clock: Clock) -> None:
        self._settings = settings
        self._web = web
        self._clock = clock
        self._discovery = Remembered(self._ask_for_discovery, clock, good_for=_KEPT)
        self._keys = Remembered(self._ask_for_keys, clock, good_for=_KEPT)
        self._renewals: deque[datetime] = deque(maxlen=_MOST_RENEWALS)

    def discover(self) -> Discovered:
        """Give what the provider tells about itself.

        Raises:
            ProviderAway, ProviderUnusable: it tells nothing now, or nothing that is of use.
        """
        return self._discovery.get() if self._settings.oidc_wellknown else configured(self._settings)

    def count_keys(self) -> int:
        """Give how many keys the provider publishes.

        Raises:
            ProviderAway, ProviderUnusable: it publishes none.
        """
        return len(self._keys.get().keys)

    def address_for(self, attempt: Attempt) -> str:
        """Give where a browser goes to sign in.

        Raises:
            ProviderAway, ProviderUnusable: as `discover`.
        """
        asked = {
            "response_type": "code",
            "client_id": self._settings.oidc_client_id,
            "redirect_uri": self._settings.page(CALLBACK),
            "scope": " ".join(self._settings.scopes),
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
        return with_query(self.discover().authorization, asked)

    def check_sender(self, issuer: str | None) -> None:
        """Refuse an answer by way of the browser that names another provider, or none where ours does (RFC 9207).

        Raises:
            SignInRefused: it is not from our provider.
        """
        ours = self.discover()
        if issuer != ours.issuer and (issuer is not None or ours.names_itself):
            raise SignInRefused("the answer comes from another identity provider")

    def redeem(self, code: str, attempt: Attempt) -> SignIn:
        """Exchange a code for who signed in; claims that the settings need and the ID token lacks are asked for too.

        Raises:
            SignInRefused: the code or what came for it is not to be believed.
            ProviderAway, ProviderUnusable: the provider does not answer as it should.
        """
        ours = self.discover()
        tokens = self._exchange(ours, code, attempt)
        claims = self._read(tokens.id_token, ours, attempt)
        if ours.userinfo and tokens.access_token and self._lacks_some(claims):
            claims = {**self._ask_for_claims(ours, tokens.access_token, subject=claims["sub"]), **claims}
        return SignIn(claims, tokens.id_token)

    def _exchange(self, ours: Discovered, code: str, attempt: Attempt) -> _Tokens:
        client_id, secret = self._settings.oidc_client_id, self._settings.oidc_client_secret
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._settings.page(CALLBACK),
            "code_verifier": attempt.verifier,
        }
        headers = {"Content-Type": _FORM}
        if ours.secret_in_body:
            form |= {"client_id": client_id, "client_secret": secret}
        else:
            headers["Authorization"] = _basic(quote_plus(client_id), quote_plus(secret))
        reply = self._ask(Request(ours.token, "POST", headers, urlencode(form).encode()))
        if reply.status != _OK:
            raise _refusal(reply.body)
        return _decoded(reply, _Tokens, lacking="gives no ID token")

    def _read(self, id_token: str, ours: Discovered, attempt: Attempt) -> Claims:
        expected = Expected(
            ours.issuer, self._settings.oidc_client_id, attempt.nonce, ours.algorithms, now=self._clock()
        )
        try:
            return self._read_with_keys(id_token, expected)
        except UnknownKey:
            self._renew_keys()
        try:
            return self._read_with_keys(id_token, expected)
        except UnknownKey:
            raise SignInRefused("the identity provider's ID token is signed by none of its keys") from None

    def _read_with_keys(self, id_token: str, expected: Expected) -> Claims:
        claims: Claims = late(_ID_TOKENS).read(id_token, self._keys.get(), expected)
        return claims

    def _renew_keys(self) -> None:
        """Let the keys be asked for again: the provider may have new ones. Not too often, whoever sends what."""
        now = self._clock()
        if len(self._renewals) < _MOST_RENEWALS or now - self._renewals[0] > _RENEWALS_WITHIN:
            self._renewals.append(now)
            self._keys.forget()

    def _lacks_some(self, claims: Claims) -> bool:
        needed = ["name", "email", self._settings.oidc_username_claim]
        if self._settings.oidc_admin_group:
            needed.append(self._settings.oidc_groups_claim)
        return any(find_claim(claims, name) is None for name in needed)

    def _ask_for_claims(self, ours: Discovered, access_token: str, *, subject: str) -> Claims:
        reply = self._ask(Request(ours.userinfo, headers={"Authorization": f"Bearer {access_token}"}))
        claims = _decoded(reply, dict[str, Any], lacking="does not tell about people where its userinfo is")
        if claims.get("sub") != subject:
            raise SignInRefused("the identity provider told about somebody else")
        return claims

    def _ask_for_discovery(self) -> Discovered:
        reply = self._ask(Request(self._settings.oidc_wellknown))
        if reply.status != _OK:
            raise ProviderUnusable(f"answered with status {reply.status} where OIDC_WELLKNOWN points")
        return read_document(reply.body, self._settings)

    def _ask_for_keys(self) -> Any:
        return late(_ID_TOKENS).read_keys(self._ask(Request(self.discover().jwks)).body)

    def _ask(self, request: Request) -> Reply:
        """Send a request to an address of the provider's own; no redirect is followed."""
        bounds = Bounds(frozenset((origin_of(request.url),)), _SECONDS, _MOST_BYTES, follow=False)
        try:
            reply = self._web.fetch(replace(request, headers={"Accept": "application/json", **request.headers}), bounds)
        except FetchFailed as failure:
            raise ProviderAway(str(failure)) from None
        if reply.status >= _FIRST_OF_SERVER_FAULTS:
            raise ProviderAway(f"answered with status {reply.status}")
        return reply


def with_query(address: str, values: Mapping[str, str]) -> str:
    """Add parameters to an address, which may have some already."""
    return f"{address}{'&' if '?' in address else '?'}{urlencode(values)}"


def _basic(name: str, password: str) -> str:
    return f"Basic {b64encode(f'{name}:{password}'.encode()).decode()}"


def _decoded(reply: Reply, kind: type[_Answer], *, lacking: str) -> _Answer:
    try:
        return msgspec.json.decode(reply.body if reply.status == _OK else b"", type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ProviderUnusable(lacking) from None


def _refusal(body: bytes) -> ProviderUnusable | SignInRefused:
    """Say why a code was not exchanged (RFC 6749, section 5.2)."""
    try:
        error = msgspec.json.decode(body, type=_Refusal).error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        error = ""
    if error == "invalid_grant":
        return SignInRefused("the identity provider does not accept the sign-in any more")
    if error in ("invalid_client", "unauthorized_client"):
        return ProviderUnusable("does not know the service: OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is wrong")
    return ProviderUnusable("gives no tokens for the code of a sign-in")
