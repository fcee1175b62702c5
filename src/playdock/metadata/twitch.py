"""Twitch's tokens, which open IGDB: had for a client id and secret, and good for about two months.

Only about 25 tokens of an application live at once, so one is kept for the whole service.
"""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from threading import Lock
from urllib.parse import urlencode

import msgspec

from playdock.fetching.web import Deadline, Request
from playdock.metadata.desk import Desk
from playdock.metadata.errors import ProviderFault, Refused
from playdock.metadata.reading import read

_WRONG_CREDENTIALS = (400, 401, 403)
_DAY = timedelta(days=1)
_LONGEST = timedelta(days=100)
_TOKEN = re.compile(r"[\x21-\x7e]{1,2000}")


class _Grant(msgspec.Struct, frozen=True):
    access_token: str = ""
    expires_in: int = 0


@dataclass(frozen=True, slots=True)
class Tokens:
    """The token of one application (https://dev.twitch.tv/docs/authentication, client credentials)."""

    desk: Desk
    address: str
    client_id: str
    client_secret: str = field(repr=False)
    renewing: Lock = field(default_factory=Lock, repr=False, compare=False)

    def current(self, *, within: Deadline) -> str:
        """Give the token that is kept, or a new one.

        Raises:
            ProviderFault: there is none to be had.
        """
        return self.desk.ledger.token(self.desk.source_id) or self.renewed("", within=within)

    def renewed(self, refused: str, *, within: Deadline) -> str:
        """Give another token than one that was refused: of several threads that want it, one asks for it."""
        if not self.renewing.acquire(timeout=within.left):
            raise ProviderFault(self.desk.name, "did not give a token in time", passes=True)
        try:
            kept = self.desk.ledger.token(self.desk.source_id)
            return kept if kept and kept != refused else self._new(within)
        finally:
            self.renewing.release()

    def wrong_credentials(self) -> ProviderFault:
        return ProviderFault(self.desk.name, "refused the client id or secret")

    def _new(self, within: Deadline) -> str:
        wanted = {"client_id": self.client_id, "client_secret": self.client_secret, "grant_type": "client_credentials"}
        request = Request(f"{self.address}?{urlencode(wanted)}", "POST")
        try:
            grant = self.desk.read(request, partial(read, _Grant), within=within)
        except Refused as refusal:
            if refusal.status in _WRONG_CREDENTIALS:
                raise self.wrong_credentials() from None
            raise
        if not _TOKEN.fullmatch(grant.access_token):
            raise ProviderFault(self.desk.name, "answered with something unexpected instead of a token")
        self.desk.ledger.keep_token(self.desk.source_id, grant.access_token, lifetime=_lifetime(grant))
        return grant.access_token


def _lifetime(grant: _Grant) -> timedelta:
    """Give how long to use a token: until a day before its end, or half of what is less than two days."""
    granted = timedelta(seconds=min(max(grant.expires_in, 0), _LONGEST.total_seconds()))
    return max(granted - _DAY, granted / 2)
