"""The desk that a provider asks at: it keeps the provider's limits, repeats what may pass, remembers answers."""

import hashlib
import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import msgspec
import structlog

from playdock.fetching.errors import FetchFailed, Unreachable
from playdock.fetching.web import Bounds, Deadline, Reply, Request, Web, origin_of
from playdock.metadata.allowances import Allowance
from playdock.metadata.errors import ProviderFault, Refused
from playdock.metadata.ledger import Ledger

_log = structlog.get_logger()
_T = TypeVar("_T")

MOST_ANSWER_BYTES = 8 * 1024 * 1024
MOST_PICTURE_BYTES = 32 * 1024 * 1024
_TRIES = 3
_PAUSE_SECONDS = 1.0
_OK, _TOO_MANY, _UNAVAILABLE, _FAILURES = 200, 429, 503, 500
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
            with suppress(ValueError):
                return form(msgspec.json.decode(kept))
        reply = self.ask(request, within=within)
        if reply.status != _OK:
            raise Refused(self.name, status=reply.status)
        formed = self._formed(reply, form)
        if keep:
            self.ledger.keep(self.source_id, digest, reply.body, lifetime=keep)
        return formed

    def ask(self, request: Request, *, within: Deadline) -> Reply:
        """Ask, and ask again while that can help and there is time; give the answer whatever its status.

        Raises:
            ProviderFault: there is no answer.
        """
        for tries in range(1, _TRIES + 1):
            self._wait_for_turn(within)
            try:
                reply = self._fetch(request, within=within, origins=self.addresses, most_bytes=MOST_ANSWER_BYTES)
            except Unreachable as reason:
                if not self._pause(tries * _PAUSE_SECONDS, tries=tries, within=within):
                    raise ProviderFault(self.name, str(reason), passes=True) from None
                continue
            except FetchFailed as reason:
                raise ProviderFault(self.name, str(reason), passes=True) from None
            if not self._may_pass(reply, tries=tries, within=within):
                return reply
        raise ProviderFault(self.name, "does not answer", passes=True)

    def picture(self, address: str, *, within: Deadline) -> bytes:
        """Download a picture from the provider's own addresses.

        Raises:
            ProviderFault: it cannot be had; nothing is said of what it is.
        """
        try:
            reply = self._fetch(Request(address), within=within, origins=self.pictures, most_bytes=MOST_PICTURE_BYTES)
        except FetchFailed as reason:
            raise ProviderFault(self.name, str(reason), passes=True) from None
        if reply.status != _OK:
            raise Refused(self.name, status=reply.status)
        return reply.body

    def _formed(self, reply: Reply, form: Callable[[Any], _T]) -> _T:
        try:
            answer = msgspec.json.decode(reply.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise ProviderFault(self.name, f"answered with {reply.media_type or 'something'} instead of JSON") from None
        try:
            return form(answer)
        except ValueError:
            raise ProviderFault(self.name, "answered with something unexpected") from None

    def _fetch(self, request: Request, *, within: Deadline, origins: tuple[str, ...], most_bytes: int) -> Reply:
        headers = {"User-Agent": self.user_agent, **request.headers}
        bounds = Bounds(frozenset(map(origin_of, origins)), seconds=within.left, most_bytes=most_bytes)
        return self.web.fetch(Request(request.url, request.method, headers, request.body), bounds)

    def _wait_for_turn(self, within: Deadline) -> None:
        seconds = self.ledger.reserve(self.source_id, self.allowance, patience=within.left)
        if seconds is None:
            raise ProviderFault(self.name, "may not be asked more often now", passes=True)
        if seconds > 0:
            self.sleep(seconds)

    def _may_pass(self, reply: Reply, *, tries: int, within: Deadline) -> bool:
        """Tell whether to ask again: after what the provider says it needs, which holds for all who ask it."""
        if reply.status == _TOO_MANY or (reply.status == _UNAVAILABLE and "retry-after" in reply.headers):
            seconds = _seconds_to_wait(reply.headers.get("retry-after", ""), now=self.ledger.clock())
            self.ledger.rest(self.source_id, seconds=seconds)
            _log.warning("provider asks to wait", provider=self.source_id, seconds=seconds)
            return self._pause(seconds, tries=tries, within=within)
        return reply.status >= _FAILURES and self._pause(tries * _PAUSE_SECONDS, tries=tries, within=within)

    def _pause(self, seconds: float, *, tries: int, within: Deadline) -> bool:
        """Wait before asking again; False if that is of no use."""
        if tries == _TRIES or seconds >= within.left:
            return False
        self.sleep(seconds)
        return True


def _digest(source_id: str, request: Request) -> str:
    asked = f"{source_id}\n{request.method}\n{request.url}\n".encode()
    return hashlib.sha256(asked + request.body).hexdigest()


def _seconds_to_wait(retry_after: str, *, now: datetime) -> float:
    """Read a Retry-After (RFC 9110, 10.2.3): seconds or a date; two seconds where it says nothing."""
    try:
        seconds = float(retry_after)
    except ValueError:
        seconds = _seconds_until(retry_after, now=now)
    return min(max(seconds, 1.0), _LONGEST_REST) if math.isfinite(seconds) else _SHORT_REST


def _seconds_until(moment: str, *, now: datetime) -> float:
    try:
        found = parsedate_to_datetime(moment)
    except (ValueError, TypeError):
        return _SHORT_REST
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() - now.timestamp()
