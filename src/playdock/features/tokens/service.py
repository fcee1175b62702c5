"""Creating and revoking tokens."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from playdock.auth.actor import Actor, UserInfo
from playdock.auth.permissions import RESERVED_PERMISSIONS, Permission, grantable_to, permissions_of
from playdock.auth.resolver import TOKEN_PREFIX
from playdock.db.database import Database
from playdock.features.tokens import queries
from playdock.features.tokens.errors import PermissionNotHeld, TokenUnknown
from playdock.features.tokens.schemas import TokenCreate
from playdock.kit.clock import Clock, as_utc
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.identifiers import digest, new_id, new_secret
from playdock.kit.messages import Message
from playdock.models import Token


class NewToken(Struct, frozen=True):
    """A token with its secret, which is not stored."""

    row: Token
    secret: str


class Tokens(Struct, frozen=True):
    """Operations on API tokens."""

    db: Database
    clock: Clock

    def create(self, actor: Actor, data: TokenCreate) -> NewToken:
        """Create a token for the caller.

        Raises:
            PermissionNotHeld: the caller does not have a requested permission.
            InvalidInput: the expiry is in the past, or no call requires a requested permission yet.
        """
        actor.require_session()
        return self.create_for(actor.user, data)

    def create_for(self, owner: UserInfo, data: TokenCreate) -> NewToken:
        """Create a token for any user; for the server's command line only."""
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
            expires=_expiry(data, now),
        )
        with self.db.write() as session:
            queries.add(session, row)
        return NewToken(row, secret)

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

    def grantable(self, actor: Actor) -> dict[str, str]:
        """Return the permissions that the caller can grant to a token, with descriptions."""
        actor.require_session()
        grantable = grantable_to(admin=actor.user.admin)
        return {permission.value: permission.description for permission in Permission if permission in grantable}


def _reject_reserved(acls: Sequence[Permission]) -> None:
    field_errors = [
        FieldError(f"acls[{index}]", Message("permission-unused", permission=permission.value))
        for index, permission in enumerate(acls)
        if permission in RESERVED_PERMISSIONS
    ]
    if field_errors:
        raise InvalidInput(field_errors)


def _expiry(data: TokenCreate, now: datetime) -> datetime | None:
    if data.expiry is None:
        return None
    expiry = as_utc(data.expiry)
    if expiry <= now:
        raise InvalidInput([FieldError("expiry", Message("expiry-past"))])
    return expiry
