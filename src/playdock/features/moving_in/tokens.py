"""Moving API tokens: programs go on with the secrets that they have."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial

from msgspec import Struct

from playdock.db.database import Database
from playdock.db.retrying import retry_conflicts
from playdock.features.accounts import queries as account_queries
from playdock.features.moving_in import queries
from playdock.features.moving_in.errors import MoveRunning
from playdock.features.moving_in.rules import MovedKind, permissions_here
from playdock.features.tokens import queries as token_queries
from playdock.features.tokens.rules import MAX_TOKENS
from playdock.kit.clock import Clock, timestamp
from playdock.kit.identifiers import new_id
from playdock.kit.security_log import SecurityEvent, record
from playdock.models import Token
from playdock.other_servers.model import SourceServer, SourceToken
from playdock.settings import Settings


class MovedTokens(Struct, frozen=True):
    """Moves API tokens from one kind of server; ``remark`` takes what it is about, and a sentence."""

    server: str
    db: Database
    clock: Clock
    settings: Settings
    remark: Callable[[str, str], None]

    def move(self, source: SourceServer, users: Mapping[str, str]) -> int:
        """Add the tokens of users who are here, by their keys; return how many were added.

        Tokens of the whole server become those of its first administrator.
        """
        with self.db.read() as session:
            moved = queries.targets(session, self.server, MovedKind.TOKEN)
        admin = next((each.key for each in source.users if each.admin and each.enabled and each.key in users), "")
        new = [each for each in source.tokens if each.key not in moved and (each.user or admin) in users]
        return sum(retry_conflicts(partial(self._add, each, users[each.user or admin])) for each in new)

    def _add(self, token: SourceToken, user_id: str) -> bool:
        """Add a token, unless it has no permission here or is known."""
        about, now = f"API token {token.name}", self.clock()
        permissions, unknown = permissions_here(token.permissions)
        expires = self._expiry(token, now)
        if expires <= now:
            self.remark(about, "has expired, and is left out.")
            return False
        if not permissions:
            self.remark(about, "has no permissions that exist here, and is left out.")
            return False
        with self.db.write() as session:
            owner = account_queries.lock_user(session, user_id)
            if owner is None or token_queries.is_known(session, token.digest):
                return False
            if token_queries.count_active(session, user_id, at=now) >= MAX_TOKENS:
                self.remark(about, f"is left out: {owner.username} has {MAX_TOKENS:,} tokens already.")
                return False
            row = Token(
                id=new_id(),
                user_id=user_id,
                digest=token.digest,
                name=token.name,
                acls=permissions,
                created=now,
                expires=expires,
            )
            if not queries.add(session, self.server, MovedKind.TOKEN, token.key, target=row.id, at=now):
                raise MoveRunning
            token_queries.add(session, row)
            name = owner.username
        record(SecurityEvent.TOKEN_CREATED, user=user_id, id=row.id, permissions=permissions)
        left_out = f" Without the permissions {', '.join(unknown)}, which do not exist here." if unknown else ""
        self.remark(about, f"belongs to {name} and expires on {timestamp(expires)[:10]}.{left_out}")
        return True

    def _expiry(self, token: SourceToken, now: datetime) -> datetime:
        """Return when a token ends here, where each of them does."""
        latest = now + timedelta(days=self.settings.token_max_days)
        return min(token.expires or latest, latest)
