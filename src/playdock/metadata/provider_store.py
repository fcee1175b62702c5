"""State of providers that all processes share and that survives a restart.

It holds the times of each provider's latest calls, so that rate limits apply to the whole service; the time until which
a provider must not be called; access tokens; and cached responses.
"""

from datetime import UTC, datetime, timedelta

from msgspec import Struct

from playdock.db.database import Database
from playdock.kit.clock import Clock
from playdock.metadata import queries
from playdock.metadata.rate_limit import RateLimit


class ProviderStore(Struct, frozen=True):
    """The stored state and cached responses of providers."""

    db: Database
    clock: Clock

    def reserve_call(self, source_id: str, rate_limit: RateLimit, *, max_wait: float) -> float | None:
        """Reserve the next call and return the seconds to wait before it, or None if they exceed ``max_wait``."""
        with self.db.write() as session:
            state = queries.lock_state(session, source_id)
            now = self.clock().timestamp()
            at = max(rate_limit.next_call(state.calls, now=now), _seconds(state.resting_until))
            if at - now > max_wait:
                return None
            queries.update_state(session, source_id, {"calls": rate_limit.with_call(state.calls, at)})
        return at - now

    def block(self, source_id: str, *, seconds: float) -> None:
        """Reserve no call of a provider for some seconds; a longer block already in place is kept."""
        with self.db.write() as session:
            state = queries.lock_state(session, source_id)
            until = self.clock() + timedelta(seconds=seconds)
            if state.resting_until is None or until > state.resting_until:
                queries.update_state(session, source_id, {"resting_until": until})

    def token(self, source_id: str) -> str | None:
        """Return a provider's token, or None if there is none that is still valid."""
        with self.db.read() as session:
            return queries.find_token(session, source_id, at=self.clock())

    def store_token(self, source_id: str, token: str, *, lifetime: timedelta) -> None:
        with self.db.write() as session:
            queries.lock_state(session, source_id)
            values = {"token": token, "token_expires": self.clock() + lifetime}
            queries.update_state(session, source_id, values)

    def cached_response(self, digest: str) -> bytes | None:
        """Return the body of a cached response, or None if there is none that has not expired."""
        with self.db.read() as session:
            return queries.find_response(session, digest, at=self.clock())

    def cache_response(self, source_id: str, digest: str, body: bytes, *, lifetime: timedelta) -> None:
        """Cache the body of a response for ``lifetime``."""
        expires = self.clock() + lifetime
        with self.db.write() as session:
            values = {"digest": digest, "source_id": source_id, "body": body, "expires": expires}
            queries.store_response(session, values)


def _seconds(moment: datetime | None) -> float:
    return moment.astimezone(UTC).timestamp() if moment else 0.0
