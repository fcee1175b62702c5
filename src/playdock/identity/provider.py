"""The client of the identity provider: authorization URLs, code exchange and claims."""

from base64 import b64encode, urlsafe_b64encode
from collections import deque
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NewType, TypeVar
from urllib.parse import quote_plus, urlencode

import msgspec
from anyio import CapacityLimiter
from msgspec import Struct
from msgspec.structs import replace

from playdock.fetching.errors import FetchFailed
from playdock.fetching.requests import FetchLimits, FetchResponse, Request, origin_of
from playdock.fetching.web import Fetcher
from playdock.identity.cached_value import CachedValue
from playdock.identity.claims import (
    MAX_RECENT_AGE,
    AuthTime,
    Claims,
    TokenExpectations,
    UnknownKey,
    authenticated_at,
    find_claim,
    subject_of,
)
from playdock.identity.discovery import ProviderConfiguration, configured, read_document
from playdock.identity.errors import IdentityProviderUnavailable, IdentityProviderUnusable, SignInRefused
from playdock.kit.clock import Clock
from playdock.settings import Settings

_T = TypeVar("_T")
# The threads of requests that wait for the identity provider.
ProviderThreads = NewType("ProviderThreads", CapacityLimiter)
CALLBACK = "/auth/callback/oidc"
# Discovery documents and keys rarely change; keys are also fetched again for an unknown signature.
_CACHE_LIFETIME = timedelta(hours=1)
# Far above the size of key sets and of ID tokens with hundreds of groups.
_MAX_BYTES = 1024**2
# A user waits for the response.
_MAX_SECONDS = 10.0
# Longer than providers remember a sign-in, so that no user is asked again because of it.
_MAX_AGE = timedelta(days=365)
_OK = 200
_SERVER_ERRORS = 500
_FORM = "application/x-www-form-urlencoded"
# Keys are fetched again if a signature is by none of them, but at most this often per minute: otherwise anyone could
# cause requests to the provider with forged tokens.
_MAX_RENEWALS = 5
_RENEWAL_PERIOD = timedelta(minutes=1)


class SignInAttempt(Struct, frozen=True):
    """The secrets that bind a sign-in to the browser that started it; they are compared with what comes back.

    If it is ``recent``, the provider has to authenticate the user again.
    """

    state: str
    nonce: str
    verifier: str
    recent: bool = False

    @property
    def challenge(self) -> str:
        """The digest of the verifier, by which the provider can check the verifier later (RFC 7636, S256)."""
        return urlsafe_b64encode(sha256(self.verifier.encode()).digest()).decode().rstrip("=")


class SignIn(Struct, frozen=True):
    """A successful sign-in: the claims, of which ``iss`` and ``sub`` identify the user, and the ID token.

    ``authenticated`` is when the user signed in at the provider, None if it does not say.
    """

    claims: Claims
    id_token: str
    authenticated: datetime | None

    @property
    def subject(self) -> str:
        return subject_of(self.claims)


class _Tokens(msgspec.Struct):
    id_token: str
    access_token: str | None = None


class _ErrorResponse(msgspec.Struct):
    error: str


class IdentityProvider:
    """The identity provider of the settings. No request is sent before the first sign-in."""

    def __init__(self, settings: Settings, web: Fetcher, clock: Clock) -> None:
        self._settings = settings
        self._web = web
        self._clock = clock
        self._discovery = CachedValue(self._fetch_configuration, clock, lifetime=_CACHE_LIFETIME)
        self._keys = CachedValue(self._fetch_keys, clock, lifetime=_CACHE_LIFETIME)
        self._renewals: deque[datetime] = deque(maxlen=_MAX_RENEWALS)

    def forget(self) -> None:
        """Fetch configuration and keys again, because settings have changed."""
        self._discovery.clear()
        self._keys.clear()

    def discover(self) -> ProviderConfiguration:
        """Return the provider's configuration.

        Raises:
            IdentityProviderUnavailable, IdentityProviderUnusable: it cannot be fetched or is invalid.
        """
        return self._discovery.get() if self._settings.oidc_wellknown else configured(self._settings)

    def count_keys(self) -> int:
        """Return the number of keys that the provider publishes.

        Raises:
            IdentityProviderUnavailable, IdentityProviderUnusable: they cannot be fetched, or there are none.
        """
        return len(self._keys.get().keys)

    def address_for(self, attempt: SignInAttempt) -> str:
        """Return the authorization URL to which a browser is redirected to sign in.

        Raises:
            IdentityProviderUnavailable, IdentityProviderUnusable: as for `discover`.
        """
        params = {
            "response_type": "code",
            "client_id": self._settings.oidc_client_id,
            "redirect_uri": self._settings.page(CALLBACK),
            "scope": " ".join(self._settings.scopes),
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
            # A provider that is asked for max_age reports auth_time.
            "max_age": str(int((MAX_RECENT_AGE if attempt.recent else _MAX_AGE).total_seconds())),
        }
        if attempt.recent:
            params["prompt"] = "login"
        return with_query(self.discover().authorization, params)

    def check_sender(self, issuer: str | None) -> None:
        """Check the ``iss`` parameter of an authorization response (RFC 9207); providers that send it must always do.

        Raises:
            SignInRefused: the response is from another provider.
        """
        configuration = self.discover()
        if issuer != configuration.issuer and (issuer is not None or configuration.sends_issuer):
            raise SignInRefused("the response comes from another identity provider")

    def redeem(self, code: str, attempt: SignInAttempt) -> SignIn:
        """Exchange a code for an ID token and return the sign-in.

        Claims that the settings need and the ID token lacks are fetched from the userinfo endpoint.

        Raises:
            SignInRefused: the code, the ID token or the userinfo is not accepted.
            IdentityProviderUnavailable, IdentityProviderUnusable: the provider does not respond or responds wrongly.
        """
        configuration = self.discover()
        tokens = self._exchange(configuration, code, attempt)
        claims = self._read(tokens.id_token, configuration, attempt)
        authenticated = authenticated_at(claims, now=self._clock())
        if configuration.userinfo and tokens.access_token and self._lacks_some(claims):
            claims = {**self._fetch_claims(configuration, tokens.access_token, subject=claims["sub"]), **claims}
        return SignIn(claims, tokens.id_token, authenticated)

    def _exchange(self, configuration: ProviderConfiguration, code: str, attempt: SignInAttempt) -> _Tokens:
        client_id, secret = self._settings.oidc_client_id, self._settings.oidc_client_secret
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._settings.page(CALLBACK),
            "code_verifier": attempt.verifier,
        }
        headers = {"Content-Type": _FORM}
        if configuration.secret_in_body:
            form |= {"client_id": client_id, "client_secret": secret}
        else:
            headers["Authorization"] = _basic(quote_plus(client_id), quote_plus(secret))
        response = self._send(Request(configuration.token, "POST", headers, urlencode(form).encode()))
        if response.status != _OK:
            raise _exchange_error(response.body)
        return _decoded(response, _Tokens, error="issues no ID token")

    def _read(self, id_token: str, configuration: ProviderConfiguration, attempt: SignInAttempt) -> Claims:
        expected = TokenExpectations(
            configuration.issuer,
            self._settings.oidc_client_id,
            attempt.nonce,
            configuration.algorithms,
            now=self._clock(),
            auth_time=self._expected_auth_time(attempt),
        )
        try:
            return self._read_with_keys(id_token, expected)
        except UnknownKey:
            self._renew_keys()
        try:
            return self._read_with_keys(id_token, expected)
        except UnknownKey:
            raise SignInRefused("the ID token is signed by none of the identity provider's keys") from None

    def _expected_auth_time(self, attempt: SignInAttempt) -> AuthTime:
        if not attempt.recent:
            return AuthTime.ANY
        return AuthTime.RECENT if self._settings.oidc_require_auth_time else AuthTime.RECENT_IF_PRESENT

    def _read_with_keys(self, id_token: str, expected: TokenExpectations) -> Claims:
        from playdock.identity import id_tokens

        return id_tokens.read(id_token, self._keys.get(), expected)

    def _renew_keys(self) -> None:
        """Fetch the keys again at their next use, unless that has happened too often in the last minute."""
        now = self._clock()
        if len(self._renewals) < _MAX_RENEWALS or now - self._renewals[0] > _RENEWAL_PERIOD:
            self._renewals.append(now)
            self._keys.clear()

    def _lacks_some(self, claims: Claims) -> bool:
        needed = ["name", "email", self._settings.oidc_username_claim]
        if self._settings.oidc_admin_group:
            needed.append(self._settings.oidc_groups_claim)
        return any(find_claim(claims, name) is None for name in needed)

    def _fetch_claims(self, configuration: ProviderConfiguration, access_token: str, *, subject: str) -> Claims:
        response = self._send(Request(configuration.userinfo, headers={"Authorization": f"Bearer {access_token}"}))
        claims = _decoded(response, dict[str, Any], error="returns no claims from its userinfo endpoint")
        if claims.get("sub") != subject:
            raise SignInRefused("the identity provider returned the claims of another user")
        return claims

    def _fetch_configuration(self) -> ProviderConfiguration:
        response = self._send(Request(self._settings.oidc_wellknown))
        if response.status != _OK:
            raise IdentityProviderUnusable(f"responded with status {response.status} at OIDC_WELLKNOWN")
        return read_document(response.body, self._settings)

    def _fetch_keys(self) -> Any:
        from playdock.identity import id_tokens

        return id_tokens.read_keys(self._send(Request(self.discover().jwks)).body)

    def _send(self, request: Request) -> FetchResponse:
        """Send a request to the provider without following redirects.

        Raises:
            IdentityProviderUnavailable: there is no response, or one with a server error.
        """
        limits = FetchLimits(frozenset((origin_of(request.url),)), _MAX_SECONDS, _MAX_BYTES, follow=False)
        request = replace(request, headers={"Accept": "application/json", **request.headers})
        try:
            response = self._web.fetch(request, limits)
        except FetchFailed as failure:
            raise IdentityProviderUnavailable(str(failure)) from None
        if response.status >= _SERVER_ERRORS:
            raise IdentityProviderUnavailable(f"responded with status {response.status}")
        return response


def with_query(address: str, values: Mapping[str, str]) -> str:
    """Return a URL, which may have a query already, with parameters added to it."""
    return f"{address}{'&' if '?' in address else '?'}{urlencode(values)}"


def _basic(name: str, password: str) -> str:
    return f"Basic {b64encode(f'{name}:{password}'.encode()).decode()}"


def _decoded(response: FetchResponse, kind: type[_T], *, error: str) -> _T:
    try:
        return msgspec.json.decode(response.body if response.status == _OK else b"", type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise IdentityProviderUnusable(error) from None


def _exchange_error(body: bytes) -> IdentityProviderUnusable | SignInRefused:
    """Return the error for a failed token request (RFC 6749, section 5.2)."""
    try:
        error = msgspec.json.decode(body, type=_ErrorResponse).error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        error = ""
    if error == "invalid_grant":
        return SignInRefused("the identity provider no longer accepts this sign-in")
    if error in ("invalid_client", "unauthorized_client"):
        return IdentityProviderUnusable("rejects the service: OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is wrong")
    return IdentityProviderUnusable("issues no tokens for the code of a sign-in")
