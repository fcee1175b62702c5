"""The desk that a provider asks at: it keeps the provider's limits, repeats what may pass, remembers answers."""

import hashlib
import math
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import msgspec
import structlog

from playdock.fetching.errors import FetchFailed, TookTooLong, Unreachable
from playdock.fetching.web import Bounds, Deadline, Reply, Request, Web, origin_of
from playdock.metadata.allowances import Allowance
from playdock.metadata.errors import Elsewhere, ProviderFault, Refused, TooOften
from playdock.metadata.ledger import Ledger

_log = structlog.get_logger()
_T = TypeVar("_T")

MOST_ANSWER_BYTES = 8 * 1024 * 1024
MOST_PICTURE_BYTES = 32 * 1024 * 1024
_TRIES = 3
_PAUSE_SECONDS = 1.0
_OK, _TOO_MANY, _UNAVAILABLE, _FAILURES = 200, 429, 503, 500
_MOST_TOLD = 60
_SHORT_REST, _LONGEST_REST = 2.0, 3600.0


@dataclass(frozen=True, slots=True)
class Desk:
    """Where one provider asks: everything it sends goes to its own addresses, with its own limits.

    ``addresses`` are those of the settings; ``pictures`` those that its pictures come from. Pictures do not count
    against the allowance: they lie on servers made for it.
    """

    source_id: str
    name: str
    web: Web
    ledger: Ledger
    addresses: tuple[str, ...]
    pictures: tuple[str, ...]
    allowance: Allowance
    user_agent: str
    sleep: Callable[[float], None] = time.sleep

    def json(self, request: Request, *, within: Deadline, keep: timedelta | None = None) -> Any:
        """Ask for JSON and give it decoded, whatever it holds; see `read`."""
        return self.read(request, lambda answer: answer, within=within, keep=keep)

    def read(
        self, request: Request, form: Callable[[Any], _T], *, within: Deadline, keep: timedelta | None = None
    ) -> _T:
        """Ask for JSON and give what ``form`` makes of it; an answer that may be kept is asked for once in that time.

        ``form`` raises ValueError (or a ProviderFault) for an answer that is of no use; such a one is not kept.

        Raises:
            Refused: the provider answered with another status than 200.
            ProviderFault: it did not answer, not in time, not with JSON, or with something of no use.
        """
        digest = _digest(self.source_id, request)
        kept = self.ledger.recall(digest) if keep else None
        if kept is not None:
            with suppress(ValueError, RecursionError, ProviderFault):
                return form(msgspec.json.decode(kept))
        reply = self.ask(request, within=within)
        if reply.status != _OK:
            raise Refused(self.name, status=reply.status)
        formed = self._formed(reply, form)
        if keep:
            self.ledger.keep(self.source_id, digest, reply.body, lifetime=keep)
        return formed

    def target(self, request: Request, *, within: Deadline) -> str:
        """Ask for what only leads to another address, and give that without going there; empty if it leads nowhere.

        Raises:
            ProviderFault: there is no answer, or one that does not tell.
        """
        reply = self.ask(request, within=within, follow=False)
        if reply.status == _TOO_MANY or reply.status >= _FAILURES:
            raise Refused(self.name, status=reply.status)
        return reply.headers.get("location", "")

    def ask(self, request: Request, *, within: Deadline, follow: bool = True) -> Reply:
        """Ask, and ask again while that can help and there is time; give the answer whatever its status.

        Every try takes a turn: it is the provider who counts, and to whom it is one call more.

        Raises:
            ProviderFault: there is no answer.
        """
        tries = 1
        while True:
            self._wait_for_turn(within)
            came = self._try(request, within, follow=follow)
            pause = self._pause_after(came, tries=tries)
            if pause is None or pause >= within.left or tries == _TRIES:
                break
            self.sleep(pause)
            tries += 1
        if isinstance(came, ProviderFault):
            raise came
        return came

    def picture(self, address: str, *, within: Deadline) -> bytes:
        """Download a picture from the provider's own addresses.

        Raises:
            Elsewhere: that is none of them.
            ProviderFault: it cannot be had; nothing is said of what it is.
        """
        bounds = self._bounds(self.pictures, within, most_bytes=MOST_PICTURE_BYTES)
        if not bounds.hold(address):
            raise Elsewhere(self.name)
        try:
            reply = self._fetch(Request(address), bounds)
        except FetchFailed as reason:
            raise self._fault(reason) from None
        if reply.status != _OK:
            raise Refused(self.name, status=reply.status)
        return reply.body

    def _formed(self, reply: Reply, form: Callable[[Any], _T]) -> _T:
        try:
            answer = msgspec.json.decode(reply.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            told = reply.media_type[:_MOST_TOLD] or "something"
            raise ProviderFault(self.name, f"answered with {told} instead of JSON") from None
        try:
            return form(answer)
        except (ValueError, RecursionError):
            raise ProviderFault(self.name, "answered with something unexpected") from None

    def _try(self, request: Request, within: Deadline, *, follow: bool) -> Reply | ProviderFault:
        bounds = self._bounds(self.addresses, within, most_bytes=MOST_ANSWER_BYTES, follow=follow)
        try:
            return self._fetch(request, bounds)
        except FetchFailed as reason:
            return self._fault(reason)

    def _fault(self, reason: FetchFailed) -> ProviderFault:
        return ProviderFault(self.name, str(reason), passes=isinstance(reason, Unreachable | TookTooLong))

    def _bounds(self, addresses: Iterable[str], within: Deadline, *, most_bytes: int, follow: bool = True) -> Bounds:
        origins = frozenset(map(origin_of, addresses))
        return Bounds(origins, seconds=within.left, most_bytes=most_bytes, follow=follow)

    def _fetch(self, request: Request, bounds: Bounds) -> Reply:
        headers = {"User-Agent": self.user_agent, **request.headers}
        return self.web.fetch(Request(request.url, request.method, headers, request.body), bounds)

    def _wait_for_turn(self, within: Deadline) -> None:
        seconds = self.ledger.reserve(self.source_id, self.allowance, patience=within.left)
        if seconds is None:
            raise TooOften(self.name)
        if seconds > 0:
            self.sleep(seconds)

    def _pause_after(self, came: Reply | ProviderFault, *, tries: int) -> float | None:
        """Give the seconds after which to ask again, None if that is of no use."""
        if isinstance(came, ProviderFault):
            return tries * _PAUSE_SECONDS if came.passes else None
        if came.status == _TOO_MANY or (came.status == _UNAVAILABLE and "retry-after" in came.headers):
            return self._rest(came)
        return tries * _PAUSE_SECONDS if came.status >= _FAILURES else None

    def _rest(self, reply: Reply) -> float:
        """Leave the provider alone for as long as it asks for, everywhere in the service."""
        seconds = _seconds_to_wait(reply.headers.get("retry-after", ""), now=self.ledger.clock())
        self.ledger.rest(self.source_id, seconds=seconds)
        _log.warning("provider asks to wait", provider=self.source_id, seconds=seconds)
        return seconds


def _digest(source_id: str, request: Request) -> str:
    asked = f"{source_id}\n{request.method}\n{request.url}\n".encode()
    return hashlib.sha256(asked + request.body).hexdigest()


def _seconds_to_wait(retry_after: str, *, now: datetime) -> float:
    """Read a Retry-After (RFC 9110, 10.2.3): seconds or a date; two seconds where it says nothing."""
    try:
        seconds = float(retry_after)
    except ValueError:
        seconds = _seconds_until(retry_after, now=now)
    return _SHORT_REST if math.isnan(seconds) else min(max(seconds, 1.0), _LONGEST_REST)


def _seconds_until(moment: str, *, now: datetime) -> float:
    try:
        found = parsedate_to_datetime(moment)
    except (ValueError, TypeError, OverflowError):
        return _SHORT_REST
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() - now.timestamp()
