"""Creating and revoking tokens."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor, UserInfo
from playdock.auth.permissions import RESERVED_PERMISSIONS, Permission, grantable_to, permissions_of
from playdock.auth.resolver import TOKEN_PREFIX
from playdock.db.database import Database
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.service import existing_user, lock_caller
from playdock.features.tokens import queries, rules
from playdock.features.tokens.errors import PermissionNotHeld, TokenUnknown, TooManyTokens
from playdock.features.tokens.schemas import TokenCreate
from playdock.kit.clock import Clock
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.identifiers import digest, new_id, new_secret
from playdock.kit.messages import Message
from playdock.kit.security_log import SecurityEvent, record
from playdock.models import Token
from playdock.settings import Settings


class NewToken(Struct, frozen=True):
    """A token with its secret, which is not stored."""

    row: Token
    secret: str


class Tokens(Struct, frozen=True):
    """Operations on API tokens."""

    db: Database
    clock: Clock
    settings: Settings

    def create(self, actor: Actor, data: TokenCreate) -> NewToken:
        """Create a token for the caller.

        Raises:
            RecentSignInRequired: the caller has to confirm the password.
            PermissionNotHeld: the caller does not have a requested permission.
            TooManyTokens: the caller has the maximum number of tokens.
            InvalidInput: the expiry is in the past or too far ahead, or no call requires a requested permission yet.
        """
        actor.require_recent_sign_in(now=self.clock())
        with self.db.write() as session:
            created = self._add(session, lock_caller(session, actor), data)
        _record_creation(created)
        return created

    def create_for(self, owner: UserInfo, data: TokenCreate) -> NewToken:
        """Create a token for any user; for the server's command line only."""
        with self.db.write() as session:
            account_queries.lock_user(session, owner.id)
            created = self._add(session, owner, data)
        _record_creation(created)
        return created

    def own(self, actor: Actor) -> Sequence[Token]:
        actor.require_session()
        with self.db.read() as session:
            return queries.of_user(session, actor.user.id)

    def revoke(self, actor: Actor, token_id: str) -> None:
        """Revoke one of the caller's tokens.

        Raises:
            TokenUnknown: the caller has no token with this id.
        """
        actor.require_session()
        with self.db.write() as session:
            if not queries.remove(session, token_id, user_id=actor.user.id):
                raise TokenUnknown
        record(SecurityEvent.TOKEN_REVOKED, id=token_id)

    def revoke_all(self, actor: Actor) -> None:
        """Revoke all tokens of the caller."""
        actor.require_session()
        with self.db.write() as session:
            queries.end_of_user(session, actor.user.id)
        record(SecurityEvent.TOKENS_REVOKED)

    def of_user(self, actor: Actor, user_id: str) -> Sequence[Token]:
        """Return the tokens of a user.

        Raises:
            UserUnknown: no user has this id.
        """
        actor.require(Permission.ADMIN_USER_READ)
        with self.db.read() as session:
            existing_user(session, user_id)
            return queries.of_user(session, user_id)

    def revoke_of_user(self, actor: Actor, user_id: str, token_id: str) -> None:
        """Revoke a token of a user.

        Raises:
            TokenUnknown: the user has no token with this id.
        """
        actor.require(Permission.ADMIN_USER_UPDATE)
        with self.db.write() as session:
            if not queries.remove(session, token_id, user_id=user_id):
                raise TokenUnknown
        record(SecurityEvent.TOKEN_REVOKED, user=user_id, id=token_id)

    def revoke_all_of_user(self, actor: Actor, user_id: str) -> None:
        """Revoke all tokens of a user.

        Raises:
            UserUnknown: no user has this id.
        """
        actor.require(Permission.ADMIN_USER_UPDATE)
        with self.db.write() as session:
            existing_user(session, user_id)
            queries.end_of_user(session, user_id)
        record(SecurityEvent.TOKENS_REVOKED, user=user_id)

    def end_of_user(self, session: Session, user_id: str) -> None:
        """Revoke the tokens of a user whose account or password changes."""
        queries.end_of_user(session, user_id)

    def grantable(self, actor: Actor) -> dict[str, str]:
        """Return the permissions that the caller can grant to a token, with descriptions."""
        actor.require_session()
        grantable = grantable_to(admin=actor.user.admin)
        return {permission.value: permission.description for permission in Permission if permission in grantable}

    def _add(self, session: Session, owner: UserInfo, data: TokenCreate) -> NewToken:
        """Add a token to the user's, which are counted; the caller has locked the user."""
        _reject_reserved(data.acls)
        excess = [permission.value for permission in data.acls if permission not in permissions_of(admin=owner.admin)]
        if excess:
            raise PermissionNotHeld(excess)
        now, secret = self.clock(), new_secret(TOKEN_PREFIX)
        row = Token(
            id=new_id(),
            user_id=owner.id,
            digest=digest(secret),
            name=data.name,
            acls=sorted({permission.value for permission in data.acls}),
            created=now,
            expires=rules.expiry(data.expiry, now=now, max_lifetime=timedelta(days=self.settings.token_max_days)),
        )
        if queries.count_active(session, owner.id, at=now) >= rules.MAX_TOKENS:
            raise TooManyTokens
        queries.add(session, row)
        return NewToken(row, secret)


def _record_creation(created: NewToken) -> None:
    row = created.row
    record(SecurityEvent.TOKEN_CREATED, user=row.user_id, id=row.id, permissions=row.acls)


def _reject_reserved(acls: Sequence[Permission]) -> None:
    field_errors = [
        FieldError(f"acls[{index}]", Message("permission-unused", permission=permission.value))
        for index, permission in enumerate(acls)
        if permission in RESERVED_PERMISSIONS
    ]
    if field_errors:
        raise InvalidInput(field_errors)
