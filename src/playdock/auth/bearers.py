"""From a bearer's secret to an actor.

Most requests come from somebody who was here a moment ago. What was found is remembered for exactly as long as nobody
has committed anything to the database (`Database.revision`), so that deleting, disabling, signing out and revoking
take effect on the next request in every process. Where the database has no such number, nothing is remembered. Nor is
anybody remembered longer than the time after which a session's last use is noted again.
"""

from dataclasses import dataclass, field
from datetime import datetime

from playdock.auth import queries
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.db.remembering import Remembered
from playdock.kit.clock import Clock, utc_now
from playdock.kit.secrets import digest

SESSION_PREFIX = "pds"
TOKEN_PREFIX = "pdt"  # noqa: S105 - what tokens begin with
DEVICE_PREFIX = "pdc"
LINK_PREFIX = "pdl"
_FIND = {
    TOKEN_PREFIX: queries.find_token,
    DEVICE_PREFIX: queries.find_device,
    LINK_PREFIX: queries.find_link,
}


@dataclass(slots=True)
class Bearers:
    """Look-ups of credentials. `recall` and `remember` belong to the event loop's thread, `look_up` to any other."""

    db: Database
    clock: Clock
    _since: datetime = field(default_factory=utc_now)
    _known: Remembered[str, Actor] = field(init=False)

    def __post_init__(self) -> None:
        self._known = Remembered(self.db)

    def recall(self, secret: str) -> Actor | None:
        """Give the actor if it is known without asking; costs no I/O that waits."""
        now = self.clock()
        if now - self._since > queries.SEEN_EVERY:
            self._known.forget()
            self._since = now
        actor = self._known.recall(secret)
        if actor is None or (actor.credential.expires and actor.credential.expires <= now):
            return None
        return actor

    def remember(self, secret: str, actor: Actor, *, revision: int | None) -> None:
        """Keep what was found, if nothing was committed since ``revision``, which was read before the look-up."""
        self._known.remember(secret, actor, revision=revision)

    @property
    def revision(self) -> int | None:
        """The revision that `recall` saw last."""
        return self._known.revision

    def look_up(self, secret: str) -> Actor | None:
        """Ask the database."""
        now, find = self.clock(), _FIND.get(secret.partition("_")[0], queries.find_session)
        with self.db.read() as session:
            found = find(session, digest(secret), at=now)
        if found and found.stale:
            with self.db.write() as session:
                queries.mark_seen(session, found.actor.credential, at=now)
        return found.actor if found else None
