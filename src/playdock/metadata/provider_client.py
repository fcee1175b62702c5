"""The HTTP client of one provider, with rate limiting, retries and a response cache."""

import hashlib
import math
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import msgspec
import structlog
from msgspec import Struct

from playdock.fetching.errors import FetchFailed, FetchTimeout, Unreachable
from playdock.fetching.requests import Deadline, FetchLimits, FetchResponse, Request, origin_of
from playdock.fetching.web import Fetcher
from playdock.kit.messages import Message
from playdock.metadata.errors import ForeignAddress, ProviderError, RateLimited, StatusRefused
from playdock.metadata.provider_store import ProviderStore
from playdock.metadata.rate_limit import RateLimit

_log = structlog.get_logger()
_T = TypeVar("_T")

# Responses are parsed in memory. This leaves ample room for a batch of 500 games.
MAX_RESPONSE_BYTES = 8 * 1024 * 1024
# As much as playdock.pictures.artwork accepts.
MAX_PICTURE_BYTES = 32 * 1024 * 1024
# Two retries get past a brief failure; every attempt counts against the provider's rate limit.
_MAX_ATTEMPTS = 3
# The delay before the second attempt; the one before the third is twice as long.
_DELAY_SECONDS = 1.0
_OK, _TOO_MANY, _UNAVAILABLE, _SERVER_ERRORS = 200, 429, 503, 500
# The media type is quoted in an error message; anything longer is not one.
_MAX_MEDIA_TYPE_CHARACTERS = 60
# Used if a provider sends 429 without a usable Retry-After.
_DEFAULT_BLOCK_SECONDS = 2.0
# A wrong Retry-After, such as one with a date years ahead, must not disable a provider for good.
_MAX_BLOCK_SECONDS = 3600.0


class ProviderClient(Struct, frozen=True):
    """Sends the requests of one provider, only to that provider's own servers and within its rate limit.

    ``addresses`` are the base URLs of its API and ``pictures`` those of its pictures, both from the settings. Pictures
    do not count against the rate limit, because providers serve them from content delivery networks.
    """

    source_id: str
    name: str
    web: Fetcher
    provider_store: ProviderStore
    addresses: tuple[str, ...]
    pictures: tuple[str, ...]
    rate_limit: RateLimit
    user_agent: str
    sleep: Callable[[float], None] = time.sleep

    def json(self, request: Request, *, within: Deadline, cache_for: timedelta | None = None) -> Any:
        """Send a request and return the decoded JSON of the response without validation; see `read`."""
        return self.read(request, lambda response: response, within=within, cache_for=cache_for)

    def read(
        self, request: Request, parse: Callable[[Any], _T], *, within: Deadline, cache_for: timedelta | None = None
    ) -> _T:
        """Send a request and return the JSON of the response, converted by ``parse``.

        With ``cache_for``, a response is reused for that time. ``parse`` raises ValueError or a ProviderError for a
        response that cannot be used, which is then not cached.

        Raises:
            StatusRefused: the response has a status other than 200.
            ProviderError: there is no response in time, or it is not JSON or cannot be used.
        """
        digest = _digest(self.source_id, request)
        cached = self.provider_store.cached_response(digest) if cache_for else None
        if cached is not None:
            with suppress(ValueError, RecursionError, ProviderError):
                return parse(msgspec.json.decode(cached))
        response = self.send(request, within=within)
        if response.status != _OK:
            raise StatusRefused(self.name, status=response.status)
        parsed = self._parsed(response, parse)
        if cache_for:
            self.provider_store.cache_response(self.source_id, digest, response.body, lifetime=cache_for)
        return parsed

    def redirect_target(self, request: Request, *, within: Deadline) -> str:
        """Return the URL to which a request is redirected, without following it; empty if there is no redirect.

        Raises:
            ProviderError: there is no response, or one with status 429 or a server error.
        """
        response = self.send(request, within=within, follow=False)
        if response.status == _TOO_MANY or response.status >= _SERVER_ERRORS:
            raise StatusRefused(self.name, status=response.status)
        return response.headers.get("location", "")

    def send(self, request: Request, *, within: Deadline, follow: bool = True) -> FetchResponse:
        """Send a request, retry it while that may help and time is left, and return the response of any status.

        Each attempt counts against the rate limit, because the provider counts it too.

        Raises:
            ProviderError: there is no response.
        """
        attempts = 1
        while True:
            self._wait_for_rate_limit(within)
            result = self._attempt(request, within, follow=follow)
            delay = self._delay_after(result, attempts=attempts)
            if delay is None or delay >= within.left or attempts == _MAX_ATTEMPTS:
                break
            self.sleep(delay)
            attempts += 1
        if isinstance(result, ProviderError):
            raise result
        return result

    def picture(self, address: str, *, within: Deadline) -> bytes:
        """Download a picture from the provider's picture servers and return its bytes, which are not validated.

        Raises:
            ForeignAddress: the URL is not on one of these servers.
            ProviderError: the picture cannot be downloaded.
        """
        limits = self._limits(self.pictures, within, max_bytes=MAX_PICTURE_BYTES)
        if not limits.allows(address):
            raise ForeignAddress(self.name)
        try:
            response = self._fetch(Request(address), limits)
        except FetchFailed as failure:
            raise self._error_for(failure) from None
        if response.status != _OK:
            raise StatusRefused(self.name, status=response.status)
        return response.body

    def _parsed(self, response: FetchResponse, parse: Callable[[Any], _T]) -> _T:
        try:
            decoded = msgspec.json.decode(response.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise self._not_json(response.media_type[:_MAX_MEDIA_TYPE_CHARACTERS]) from None
        try:
            return parse(decoded)
        except (ValueError, RecursionError):
            raise ProviderError(Message("provider-unexpected", provider=self.name)) from None

    def _not_json(self, media_type: str) -> ProviderError:
        if not media_type:
            return ProviderError(Message("provider-unknown-format", provider=self.name))
        return ProviderError(Message("provider-not-json", provider=self.name, media_type=media_type))

    def _attempt(self, request: Request, within: Deadline, *, follow: bool) -> FetchResponse | ProviderError:
        limits = self._limits(self.addresses, within, max_bytes=MAX_RESPONSE_BYTES, follow=follow)
        try:
            return self._fetch(request, limits)
        except FetchFailed as failure:
            return self._error_for(failure)

    def _error_for(self, failure: FetchFailed) -> ProviderError:
        return ProviderError(failure.about(self.name), retryable=isinstance(failure, Unreachable | FetchTimeout))

    def _limits(
        self, addresses: Iterable[str], within: Deadline, *, max_bytes: int, follow: bool = True
    ) -> FetchLimits:
        origins = frozenset(map(origin_of, addresses))
        return FetchLimits(origins, seconds=within.left, max_bytes=max_bytes, follow=follow)

    def _fetch(self, request: Request, limits: FetchLimits) -> FetchResponse:
        headers = {"User-Agent": self.user_agent, **request.headers}
        return self.web.fetch(Request(request.url, request.method, headers, request.body), limits)

    def _wait_for_rate_limit(self, within: Deadline) -> None:
        seconds = self.provider_store.reserve_call(self.source_id, self.rate_limit, max_wait=within.left)
        if seconds is None:
            raise RateLimited(self.name)
        if seconds > 0:
            self.sleep(seconds)

    def _delay_after(self, result: FetchResponse | ProviderError, *, attempts: int) -> float | None:
        """Return the seconds to wait before a retry, or None if a retry cannot help."""
        if isinstance(result, ProviderError):
            return attempts * _DELAY_SECONDS if result.retryable else None
        if result.status == _TOO_MANY or (result.status == _UNAVAILABLE and "retry-after" in result.headers):
            return self._block(result)
        return attempts * _DELAY_SECONDS if result.status >= _SERVER_ERRORS else None

    def _block(self, response: FetchResponse) -> float:
        """Block the provider in all processes for the time that its response demands, and return the seconds."""
        seconds = _seconds_to_wait(response.headers.get("retry-after", ""), now=self.provider_store.clock())
        self.provider_store.block(self.source_id, seconds=seconds)
        _log.warning("provider asked to wait", provider=self.source_id, seconds=seconds)
        return seconds


def _digest(source_id: str, request: Request) -> str:
    head = f"{source_id}\n{request.method}\n{request.url}\n".encode()
    return hashlib.sha256(head + request.body).hexdigest()


def _seconds_to_wait(retry_after: str, *, now: datetime) -> float:
    """Parse a Retry-After header (RFC 9110, 10.2.3) in seconds or as a date; return the default if it is neither."""
    try:
        seconds = float(retry_after)
    except ValueError:
        seconds = _seconds_until(retry_after, now=now)
    return _DEFAULT_BLOCK_SECONDS if math.isnan(seconds) else min(max(seconds, 1.0), _MAX_BLOCK_SECONDS)


def _seconds_until(moment: str, *, now: datetime) -> float:
    try:
        parsed = parsedate_to_datetime(moment)
    except (ValueError, TypeError, OverflowError):
        return _DEFAULT_BLOCK_SECONDS
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() - now.timestamp()
