"""The ledger: what must be known of providers by all processes and after a restart.

When each was called, so that its limits hold for the whole service; until when it wants to be left alone; tokens; and
answers that can be used again.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from playdock.db.database import Database
from playdock.kit.clock import Clock
from playdock.metadata import queries
from playdock.metadata.allowances import Allowance


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is kept of providers."""

    db: Database
    clock: Clock

    def reserve(self, source_id: str, allowance: Allowance, *, patience: float) -> float | None:
        """Reserve the next call: give the seconds to wait before it, None if they are more than the patience."""
        with self.db.write() as session:
            state = queries.hold_state(session, source_id)
            now = self.clock().timestamp()
            at = max(allowance.next_call(state.calls, now=now), _seconds(state.resting_until))
            if at - now > patience:
                return None
            queries.change_state(session, source_id, {"calls": allowance.with_call(state.calls, at)})
        return at - now

    def rest(self, source_id: str, *, seconds: float) -> None:
        """Leave a provider alone for a while; who asks for less than somebody before shortens nothing."""
        with self.db.write() as session:
            state = queries.hold_state(session, source_id)
            until = self.clock() + timedelta(seconds=seconds)
            if state.resting_until is None or until > state.resting_until:
                queries.change_state(session, source_id, {"resting_until": until})

    def token(self, source_id: str) -> str | None:
        """Give a provider's token that still holds."""
        with self.db.read() as session:
            return queries.find_token(session, source_id, at=self.clock())

    def keep_token(self, source_id: str, token: str, *, lifetime: timedelta) -> None:
        with self.db.write() as session:
            queries.hold_state(session, source_id)
            values = {"token": token, "token_expires": self.clock() + lifetime}
            queries.change_state(session, source_id, values)

    def recall(self, digest: str) -> bytes | None:
        """Give an answer that was kept."""
        with self.db.read() as session:
            return queries.find_answer(session, digest, at=self.clock())

    def keep(self, source_id: str, digest: str, body: bytes, *, lifetime: timedelta) -> None:
        """Keep an answer for some time."""
        expires = self.clock() + lifetime
        with self.db.write() as session:
            values = {"digest": digest, "source_id": source_id, "body": body, "expires": expires}
            queries.keep_answer(session, values)


def _seconds(moment: datetime | None) -> float:
    return moment.astimezone(UTC).timestamp() if moment else 0.0
