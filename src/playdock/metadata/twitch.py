"""Access tokens of Twitch, which IGDB requires. They are issued for a client id and secret and last about two months.

An application can have only about 25 valid tokens, so the whole service shares one.
"""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from threading import Lock
from urllib.parse import urlencode

import msgspec

from playdock.fetching.requests import Deadline, Request
from playdock.kit.messages import Message
from playdock.metadata.errors import ProviderError, StatusRefused
from playdock.metadata.provider_client import ProviderClient
from playdock.metadata.reading import read

_WRONG_CREDENTIALS = (400, 401, 403)
# A token is replaced this long before it expires.
_RENEWAL_MARGIN = timedelta(days=1)
# Twitch issues tokens for about 60 days; a longer lifetime is not plausible and is cut.
_MAX_TOKEN_LIFETIME = timedelta(days=100)
_TOKEN = re.compile(r"[\x21-\x7e]{1,2000}")


class _Grant(msgspec.Struct, frozen=True):
    access_token: str = ""
    expires_in: int = 0


@dataclass(frozen=True, slots=True)
class AccessTokens:
    """The access token of one application, by client credentials (https://dev.twitch.tv/docs/authentication)."""

    client: ProviderClient
    address: str
    client_id: str
    client_secret: str = field(repr=False)
    renewing: Lock = field(default_factory=Lock, repr=False, compare=False)

    def current(self, *, within: Deadline) -> str:
        """Return the stored token, or a new one.

        Raises:
            ProviderError: no token could be obtained.
        """
        return self.client.provider_store.token(self.client.source_id) or self.renewed("", within=within)

    def renewed(self, refused: str, *, within: Deadline) -> str:
        """Return a token other than the refused one; if several threads need one, only one requests it.

        Raises:
            ProviderError: no token could be obtained.
        """
        if not self.renewing.acquire(timeout=within.left):
            raise ProviderError(Message("provider-no-token", provider=self.client.name), retryable=True)
        try:
            stored = self.client.provider_store.token(self.client.source_id)
            return stored if stored and stored != refused else self._request_token(within)
        finally:
            self.renewing.release()

    def wrong_credentials(self) -> ProviderError:
        return ProviderError(Message("provider-wrong-client", provider=self.client.name))

    def _request_token(self, within: Deadline) -> str:
        params = {"client_id": self.client_id, "client_secret": self.client_secret, "grant_type": "client_credentials"}
        request = Request(f"{self.address}?{urlencode(params)}", "POST")
        try:
            grant = self.client.read(request, partial(read, _Grant), within=within)
        except StatusRefused as refusal:
            if refusal.status in _WRONG_CREDENTIALS:
                raise self.wrong_credentials() from None
            raise
        if not _TOKEN.fullmatch(grant.access_token):
            raise ProviderError(Message("provider-unexpected-token", provider=self.client.name))
        self.client.provider_store.store_token(self.client.source_id, grant.access_token, lifetime=_lifetime(grant))
        return grant.access_token


def _lifetime(grant: _Grant) -> timedelta:
    """Return how long to use a token: until a day before it expires, or half of a lifetime below two days."""
    granted = timedelta(seconds=min(max(grant.expires_in, 0), _MAX_TOKEN_LIFETIME.total_seconds()))
    return max(granted - _RENEWAL_MARGIN, granted / 2)
