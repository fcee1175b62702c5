"""Making and revoking tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from playdock.auth.acls import Acl, rights_of
from playdock.auth.actor import Actor, Person
from playdock.auth.bearers import TOKEN_PREFIX
from playdock.db.database import Database
from playdock.features.tokens import queries
from playdock.features.tokens.errors import AclNotYours, TokenUnknown
from playdock.features.tokens.schemas import TokenDraft
from playdock.kit.clock import Clock, as_utc
from playdock.kit.errors import Fault, InvalidInput
from playdock.kit.secrets import digest, new_id, new_secret
from playdock.models import Token


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token with its secret, which is stored nowhere."""

    row: Token
    secret: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of people."""

    db: Database
    clock: Clock

    def create(self, actor: Actor, draft: TokenDraft) -> NewToken:
        """Make a token for the caller.

        Raises:
            AclNotYours: the caller does not have a right that is asked for.
            InvalidInput: the expiry is past.
        """
        actor.require_session()
        return self.create_for(actor.person, draft)

    def create_for(self, owner: Person, draft: TokenDraft) -> NewToken:
        """Make a token for somebody, on behalf of whoever runs the server."""
        excess = [acl.value for acl in draft.acls if acl not in rights_of(admin=owner.admin)]
        if excess:
            raise AclNotYours(excess)
        now, secret = self.clock(), new_secret(TOKEN_PREFIX)
        row = Token(
            id=new_id(),
            user_id=owner.id,
            digest=digest(secret),
            name=draft.name,
            acls=sorted({acl.value for acl in draft.acls}),
            created=now,
            expires=_expiry(draft, now),
        )
        with self.db.write() as session:
            queries.add(session, row)
        return NewToken(row, secret)

    def own(self, actor: Actor) -> Sequence[Token]:
        actor.require_session()
        with self.db.read() as session:
            return queries.of_user(session, actor.person.id)

    def revoke(self, actor: Actor, token_id: str) -> None:
        """Revoke one of the own tokens.

        Raises:
            TokenUnknown: there is no such token.
        """
        actor.require_session()
        with self.db.write() as session:
            if not queries.remove(session, token_id, user_id=actor.person.id):
                raise TokenUnknown

    def grantable(self, actor: Actor) -> dict[str, str]:
        """Give the rights that the caller may put into a token, with what each allows."""
        actor.require_session()
        rights = rights_of(admin=actor.person.admin)
        return {acl.value: acl.description for acl in Acl if acl in rights}


def _expiry(draft: TokenDraft, now: datetime) -> datetime | None:
    if draft.expiry is None:
        return None
    expiry = as_utc(draft.expiry)
    if expiry <= now:
        raise InvalidInput([Fault("expiry", "The expiry must lie in the future.")])
    return expiry
